// Making elements without markup in strings: every text that came from elsewhere stays text.

// h('b', { class: 'who', 'aria-label': 'Mei', on: { click }, vars: { '--n': 5 } }, 'Mei')
export function h(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'on') for (const [type, act] of Object.entries(value)) made.addEventListener(type, act);
    else if (key === 'vars') setVars(made, value);
    else if (key === 'class') made.className = value;
    else made.setAttribute(key, value === true ? '' : value);
  }
  put(made, ...children);
  return made;
}

export function put(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return parent;
}

export function setVars(element, vars) {
  for (const [name, value] of Object.entries(vars)) element.style.setProperty(name, value);
}

export const icon = (name) => h('i', { class: `ico ico-${name}`, 'aria-hidden': 'true' });

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

// Change an attribute or a text only when it differs: live lines and transitions stay quiet otherwise.
export function attr(element, name, value) {
  if (value === null || value === undefined || value === false) { element.removeAttribute(name); return; }
  const text = value === true ? '' : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}
export function text(element, value) { if (element.textContent !== value) element.textContent = value; }

export const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
