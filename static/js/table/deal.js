// The page of a finished deal: the same receipt as at the table, drawn once.
import { $ } from '../lib/dom.js';
import { Receipt } from './receipt.js';

const data = $('#receipt-data');
if (data) {
  const { table, room, coins, when } = document.body.dataset;
  const receipt = new Receipt($('#over'), { room, table, coins, on: () => {} });
  receipt.draw(JSON.parse(data.textContent), { now: when });
}
