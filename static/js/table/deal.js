// The page of a finished deal: the same receipt as at the table, drawn once.
import { $ } from '../lib/dom.js';
import { Receipt } from './receipt.js';

const data = $('#receipt-data');
if (data) {
  const { table, room, coins, when } = document.body.dataset;
  const receipt = new Receipt($('#over'), { room, table, coins, on: () => {} });
  const local = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
  receipt.draw(JSON.parse(data.textContent), { now: local.format(new Date(when)) });
  receipt.heading?.blur(); // at the table the focus comes here when a deal ends; a page that was opened begins at its top
}
