// The list of conversations: open and close it on small screens, rename, delete, add the one just begun.

import { icon } from "./copying.js";

export function setUpSidebar(base) {
  const body = document.body;
  const opener = document.querySelector("[data-open-sidebar]");
  const dialog = document.querySelector("[data-thread-dialog]");

  const setOpen = (isOpen) => {
    body.classList.toggle("is-sidebar-open", isOpen);
    opener.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) document.querySelector(".sidebar-close").focus();
    else if (document.activeElement?.closest(".sidebar")) opener.focus();
  };

  const openDialog = (id, title) => {
    dialog.querySelector("[data-rename]").action = `${base}c/${id}/rename/`;
    dialog.querySelector("[data-delete]").action = `${base}c/${id}/delete/`;
    dialog.querySelector("#thread-title").value = title;
    dialog.showModal();
  };

  document.addEventListener("click", ({ target }) => {
    const thread = target.closest("[data-thread]");
    if (thread) openDialog(thread.dataset.thread, thread.previousElementSibling.textContent.trim());
    if (target.closest("[data-open-sidebar]")) setOpen(true);
    if (target.closest("[data-close-sidebar]")) setOpen(false);
    if (target.closest("[data-close-dialog]") || target === dialog) dialog.close();
    for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(target)) menu.open = false;
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    setOpen(false);
    for (const menu of document.querySelectorAll(".menu[open]")) menu.open = false;
  });
}

// The server names a conversation soon after its first answer.
export async function nameThread(id) {
  const link = document.querySelector(`[data-threads] a[href$="/c/${id}/"]`);
  for (const delay of [2000, 5000, 15000]) {
    await new Promise((resolve) => setTimeout(resolve, delay));
    const answer = await fetch(`/api/v1/conversations/${id}`).catch(() => null);
    const { title } = answer?.ok ? await answer.json() : {};
    if (!title) continue;
    link.textContent = document.querySelector(".chat-title").textContent = title;
    return;
  }
}

export function addThread(base, id, title) {
  const list = document.querySelector("[data-threads]");
  document.querySelector("[data-threads-empty]")?.remove();
  const item = document.createElement("li");
  const link = document.createElement("a");
  const more = document.createElement("button");
  item.className = "thread";
  link.href = `${base}c/${id}/`;
  link.setAttribute("aria-current", "page");
  link.textContent = title.slice(0, 60);
  more.type = "button";
  more.className = "icon-button thread-more";
  more.dataset.thread = id;
  more.setAttribute("aria-label", title.slice(0, 60));
  more.append(icon("more"));
  item.append(link, more);
  list.prepend(item);
}
