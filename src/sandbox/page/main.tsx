/** The page: where one can go, whether the server is there, what was said last, the view that is looked at; put into the document, and kept as new as the server says. */
import { effect, untracked } from '@preact/signals';
import { render } from 'preact';
import { keepUp, readClock, readCompanies, readStatus, versionOf, link, type Link } from './server.js';
import { readRequests, RequestsView } from './requests.js';
import { useEffect } from 'preact/hooks';
import { CompaniesView } from './companies.js';
import { FaultsView } from './faults.js';
import { NewView } from './new.js';
import { OperationsView } from './operations.js';
import { said, StateMark, type MarkTone, Ticking, ZoneSwitch } from './parts.js';
import { hrefOf, route, VIEWS, type View } from './route.js';
import { WebhooksView } from './webhooks.js';
import { looked } from './rows.js';
import { OpenQuestion } from './doing.js';
import { ClockView } from './clock.js';

const TITLES: Readonly<Record<View, string>> = {
  ...{ operations: 'Operations', requests: 'Requests', webhooks: 'Webhooks', faults: 'Faults' },
  ...{ clock: 'Clock', companies: 'Companies', new: 'New' },
};

const LINKS: Readonly<Record<Link, readonly [tone: MarkTone, text: string]>> = {
  connecting: ['waits', 'connecting'],
  connected: ['good', 'connected'],
  lost: ['bad', 'no server'],
};

function WholePage() {
  const { view, id } = route.value;
  const [tone, text] = LINKS[link.value];
  useEffect(() => {
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [view]);
  const name = looked.value;
  useEffect(() => {
    document.title = `${name === '' ? '' : `${name} · `}${TITLES[view]} · svc sandbox`;
  }, [view, name]);
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
            <a key={name} href={hrefOf(name, '', {})} aria-current={name === view ? 'page' : undefined}>
              {TITLES[name]}
            </a>
          ))}
        </nav>
        <p class="link">
          <a href={hrefOf('clock')}>
            <span class="hidden">The sandbox’s time: </span>
            <Ticking />
          </a>
          <ZoneSwitch />
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
      <OpenQuestion />
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
    if (last === null || last.isBad === true) return;
    const timer = setTimeout(() => (said.value = null), SAID_MS);
    return () => clearTimeout(timer);
  }, [last]);
  return (
    <div class="said" role="status" aria-live="polite">
      {last !== null && (
        <p class={last.isBad === true ? 'bad' : ''} dir="auto">
          <span>{last.href === undefined ? last.text : <a href={last.href}>{last.text}</a>}</span>
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
