// What a browser keeps for its player: preferences for good, pending commands for this tab.
// Storage may be closed to us; then a value lives as long as the page.
// Of somebody signed in, some preferences are his account's: theme.js has brought them along, changes go back there.
const ACCOUNT = {
  theme: (theme) => ['theme', theme],
  deck: (colours) => ['deck', String(colours)],
  sound: (on) => ['sounds', on ? '1' : '0'],
  order: (order) => ['hand_sort', order],
};
const closed = new Map();

function reach(storage) {
  return {
    get(key, fallback = null) {
      try {
        const text = window[storage].getItem('paishe.' + key);
        return text === null ? fallback : JSON.parse(text);
      } catch { return closed.has(storage + key) ? closed.get(storage + key) : fallback; }
    },
    set(key, value) {
      closed.set(storage + key, value);
      try { window[storage].setItem('paishe.' + key, JSON.stringify(value)); } catch { /* the page keeps it */ }
    },
    drop(key) {
      closed.delete(storage + key);
      try { window[storage].removeItem('paishe.' + key); } catch { /* nothing to drop */ }
    },
  };
}

function tellAccount(key, value) {
  const address = document.body?.dataset.keep;
  const token = document.querySelector('[name=csrfmiddlewaretoken]')?.value;
  if (!address || !token || !(key in ACCOUNT)) return;
  fetch(address, {
    method: 'POST', keepalive: true, headers: { 'X-CSRFToken': token }, body: new URLSearchParams([ACCOUNT[key](value)]),
  }).catch(() => { /* the account keeps what it had; this browser has the choice until the next page */ });
}

const local = reach('localStorage');
export const preferences = { ...local, set(key, value) { local.set(key, value); tellAccount(key, value); } };
export const tab = reach('sessionStorage');
