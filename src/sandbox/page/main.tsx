/** Puts the page into the document, and keeps what every view needs as new as the server says. */
import { effect, untracked } from '@preact/signals';
import { render } from 'preact';
import { WholePage } from './app.js';
import { keepUp } from './live.js';
import { readRequests } from './request-list.js';
import { readClock, readCompanies, readStatus, versionOf } from './server.js';

// First: what is in view is asked for before everything else, of which a browser asks six at a time.
const place = document.getElementById('page');
if (place !== null) render(<WholePage />, place);

effect(() => {
  versionOf('requests');
  untracked(readRequests);
});
effect(() => {
  versionOf('clock', 'operations', 'deliveries');
  untracked(readClock);
});
effect(() => {
  versionOf('deliveries');
  untracked(() => {
    readCompanies();
    readStatus();
  });
});
keepUp();
