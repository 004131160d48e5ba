// Copy buttons for code blocks and answers.

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#icon-${name}`);
  svg.append(use);
  return svg;
}

export function addCodeButtons(root, texts) {
  for (const code of root.querySelectorAll("pre.code")) {
    if (code.querySelector(".copy-code")) continue;
    const button = document.createElement("button");
    const words = document.createElement("span");
    button.type = "button";
    button.className = "icon-button copy-code";
    words.className = "visually-hidden";
    words.textContent = texts.copy_code;
    button.append(icon("copy"), words);
    code.append(button);
  }
}

export async function copyFrom(button, text, live, texts) {
  await write(text);
  const use = button.querySelector("use");
  use.setAttribute("href", "#icon-check");
  button.classList.add("is-done");
  live.textContent = texts.copied;
  setTimeout(() => {
    use.setAttribute("href", "#icon-copy");
    button.classList.remove("is-done");
  }, 1500);
}

// Without TLS, browsers have no clipboard object outside localhost.
async function write(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "visually-hidden";
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
