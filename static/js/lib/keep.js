// What a browser keeps for its player: preferences for good, pending commands for this tab.
// Storage may be closed to us; then a value lives as long as the page.
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

export const preferences = reach('localStorage');
export const tab = reach('sessionStorage');
