// The words of the scripts come from the same catalogues as those of the pages: /words/<language>.js fills window.django.
const { gettext = (s) => s, ngettext = (one, many, n) => (n === 1 ? one : many), pgettext = (_, s) => s } = window.django ?? {};

const fill = (message, values) => message.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? values[key] : whole));

export const t = (message, values = {}) => fill(gettext(message), values);
export const tp = (context, message, values = {}) => fill(pgettext(context, message), values);
export const tn = (one, many, n, values = {}) => fill(ngettext(one, many, n), { n: figure(n), ...values });

// The same with elements for values: returns a list of texts and nodes in the order of the sentence.
export function parts(message, values) {
  return gettext(message).split(/(\{\w+\})/).filter(Boolean).map((piece) => {
    const key = /^\{(\w+)\}$/.exec(piece)?.[1];
    return key !== undefined && key in values ? values[key] : piece;
  });
}

// Whole numbers: commas between thousands, a true minus, a sign where a change is meant.
export function figure(value) {
  const whole = String(Math.abs(value)).replace(/\B(?=(\d{3})+$)/g, ',');
  return value < 0 ? '−' + whole : whole;
}
export const signed = (value) => (value > 0 ? '+' + figure(value) : figure(value));
export const minutes = (ms) => {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};
export const upper = (sentence) => sentence.charAt(0).toLocaleUpperCase() + sentence.slice(1);
export const list = (names) => new Intl.ListFormat(document.documentElement.lang || 'en', { type: 'conjunction' }).format(names);
