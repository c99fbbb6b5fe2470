// Runs before the first paint, so that a page never flashes in the wrong theme. Kept small on purpose.
// Somebody signed in has his choices from his account, as attributes of the page; this browser takes them over.
(function () {
  var root = document.documentElement, kept = root.dataset;
  try {
    if ('account' in kept) {
      var mine = { theme: kept.theme || null, deck: Number(kept.deck), sound: kept.sound === 'on', order: kept.order };
      for (var name in mine) {
        if (mine[name] === null) localStorage.removeItem('paishe.' + name);
        else localStorage.setItem('paishe.' + name, JSON.stringify(mine[name]));
      }
      return;
    }
    var theme = JSON.parse(localStorage.getItem('paishe.theme'));
    var deck = JSON.parse(localStorage.getItem('paishe.deck'));
    if (theme === 'dark' || theme === 'light') kept.theme = theme;
    if (deck === 4 || deck === 2) kept.deck = String(deck);
  } catch (refused) { /* storage is closed to us: the account, or the system */ }
})();
