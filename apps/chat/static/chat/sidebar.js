// The list of conversations: open and close it on small screens, rename, delete, add the one just begun.

import { icon } from "./copying.js";

const LONGEST_TITLE = 60;

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

// The title once the server has written one, or nothing after a while.
export async function awaitTitle(id) {
  for (const delay of [0, 2000, 5000, 15000]) {
    await new Promise((resolve) => setTimeout(resolve, delay));
    const { title } = await fetchConversation(id).catch(() => ({}));
    if (title) return title;
  }
}

async function fetchConversation(id) {
  const answer = await fetch(`/api/v1/conversations/${id}`);
  return answer.ok ? answer.json() : {};
}

// `place` follows the title in the browser's tab; `more` labels the conversation's button.
export function showTitle(id, text, { place, more }) {
  const title = shorten(text);
  const link = document.querySelector(`[data-threads] a[href$="/c/${id}/"]`);
  if (link) {
    link.textContent = title;
    link.nextElementSibling.setAttribute("aria-label", more.replace("%s", title));
  }
  document.querySelector(".chat-title").textContent = title;
  document.title = `${title} · ${place}`;
}

export function addThread(base, id) {
  const list = document.querySelector("[data-threads]");
  document.querySelector("[data-threads-empty]")?.remove();
  const item = document.createElement("li");
  const link = document.createElement("a");
  const more = document.createElement("button");
  item.className = "thread";
  link.href = `${base}c/${id}/`;
  link.setAttribute("aria-current", "page");
  more.type = "button";
  more.className = "icon-button thread-more";
  more.dataset.thread = id;
  more.append(icon("more"));
  item.append(link, more);
  list.prepend(item);
}

function shorten(text) {
  const letters = [...text];
  return letters.length > LONGEST_TITLE ? `${letters.slice(0, LONGEST_TITLE - 1).join("")}…` : text;
}
