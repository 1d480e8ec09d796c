/** The page: where one can go, whether the server is there, what was said last, the view that is looked at; put into the document, and kept as new as the server says. */
import { effect, untracked } from '@preact/signals';
import { render } from 'preact';
import {
  keepUp,
  readClock,
  readCompanies,
  readStatus,
  versionOf,
  link,
  type Link,
  clock,
  sandboxNowMs,
} from './server.js';
import { readRequests, RequestsView } from './requests.js';
import { useEffect, useState } from 'preact/hooks';
import { CompaniesView } from './companies.js';
import { FaultsView } from './faults.js';
import { NewView } from './new.js';
import { OperationsView } from './operations.js';
import { said, StateMark, type MarkTone, Ticking, Empty, TextInput, Lines, Time } from './parts.js';
import { hrefOf, route, VIEWS, type View } from './route.js';
import { WebhooksView } from './webhooks.js';
import { CLOCK_STEPS, movingOf } from './actions.js';
import { Actions, Do } from './doing.js';
import { away } from './format.js';

const TITLES: Readonly<Record<View, string>> = {
  ...{ operations: 'Operations', requests: 'Requests', webhooks: 'Webhooks', faults: 'Faults' },
  ...{ clock: 'Clock', companies: 'Companies', new: 'New' },
};

const LINKS: Readonly<Record<Link, readonly [tone: MarkTone, text: string]>> = {
  connecting: ['waits', 'connecting'],
  live: ['good', 'live'],
  lost: ['bad', 'no server'],
};

function WholePage() {
  const { view, id } = route.value;
  const [tone, text] = LINKS[link.value];
  useEffect(() => {
    document.title = `${TITLES[view]} · svc sandbox`;
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [view]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skip(event)}>
        Skip to the content
      </a>
      <header class="top">
        <h1>
          svc <span>sandbox</span>
        </h1>
        <nav aria-label="Views">
          {VIEWS.map((name) => (
            <a key={name} href={hrefOf(name)} aria-current={name === view ? 'page' : undefined}>
              {TITLES[name]}
            </a>
          ))}
        </nav>
        <p class="link">
          <a href={hrefOf('clock')}>
            <span class="hidden">The sandbox’s time: </span>
            <Ticking />
          </a>
          <span role="status">
            <StateMark tone={tone}>{text}</StateMark>
          </span>
        </p>
      </header>
      {link.value === 'lost' && (
        <p class="lost" role="alert">
          The server does not answer. The page shows the last known state, and continues when the server is
          back.
        </p>
      )}
      <main id="main" tabIndex={-1}>
        <Shown view={view} id={id} />
      </main>
      <Said />
    </>
  );
}

/** A fragment of its own would be taken for a view. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function Shown({ view, id }: { readonly view: View; readonly id: string }) {
  switch (view) {
    case 'operations':
      return <OperationsView id={id} />;
    case 'requests':
      return <RequestsView id={id} />;
    case 'webhooks':
      return <WebhooksView id={id} />;
    case 'faults':
      return <FaultsView />;
    case 'clock':
      return <ClockView />;
    case 'companies':
      return <CompaniesView />;
    case 'new':
      return <NewView />;
  }
}

const SAID_MS = 6000;

function Said() {
  const last = said.value;
  useEffect(() => {
    if (last === null || last.isBad) return;
    const timer = setTimeout(() => (said.value = null), SAID_MS);
    return () => clearTimeout(timer);
  }, [last]);
  return (
    <div class="said" role="status" aria-live="polite">
      {last !== null && (
        <p class={last.isBad ? 'bad' : ''} dir="auto">
          <span>{last.text}</span>
          <button
            type="button"
            class="copy"
            aria-label="Close the message"
            onClick={() => (said.value = null)}
          >
            Close
          </button>
        </p>
      )}
    </div>
  );
}

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

function ClockView() {
  const [minutes, setMinutes] = useState('90');
  const read = clock.value;
  const [now, due] = [sandboxNowMs(), read?.next_due ?? null];
  const there = movingOf(due === null || now === null ? 0 : secondsTo(due.at, now));
  const own = movingOf(Math.round(Number(minutes) * 60));
  return (
    <div class="page">
      <section class="card" aria-labelledby="now">
        <h2 id="now">Now, in the sandbox</h2>
        <p class="big">
          <Ticking isWhole />
        </p>
        <p class="note">UTC. Everything that falls due on the way happens at its own time.</p>
        <Actions actions={CLOCK_STEPS} />
      </section>
      <section class="card" aria-labelledby="due">
        <h2 id="due">Next</h2>
        {due === null || now === null ? (
          <Empty>Nothing is due.</Empty>
        ) : (
          <>
            <p>
              <span class="main">{due.what}</span>{' '}
              <span class="sub">
                <Time iso={due.at} />, {away(due.at, now)}
              </span>
            </p>
            <div class="again">
              <Do label="Go to that time" tone="good" deed={there} />
              <Lines deed={there} />
            </div>
          </>
        )}
      </section>
      <section class="card" aria-labelledby="far">
        <h2 id="far">Another step</h2>
        <div class="fields">
          <TextInput label="Minutes" inputMode="decimal" value={minutes} set={setMinutes} />
          <Do label="Advance" deed={own} />
        </div>
        <Lines deed={own} />
      </section>
    </div>
  );
}

/** As many whole seconds as it takes to be there. */
function secondsTo(iso: string, nowMs: number): number {
  return Math.max(0, Math.ceil((Date.parse(iso) - nowMs) / 1000));
}
