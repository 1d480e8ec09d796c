import { render, type ComponentType } from 'preact';
import { counted } from '../../contract/on-screen.js';
import { armedFaults, followSandbox, connectionState, type ConnectionState } from './server.js';
import { RequestsView } from './requests.js';
import { useEffect } from 'preact/hooks';
import { CompaniesView } from './companies.js';
import { FaultsView } from './faults.js';
import { capitalize } from './format.js';
import { NewView } from './new.js';
import { OperationsView } from './operations.js';
import { EmptyText, lastMessage, StateMark, type MarkTone, RunningClock, ZoneSwitch } from './parts.js';
import { hrefOf, route, VIEWS, type View } from './route.js';
import { StateView } from './state.js';
import { WebhooksView } from './webhooks.js';
import { openItemName } from './rows.js';
import { QuestionDialog } from './doing.js';
import { ClockView } from './clock.js';

const CONTENTS: Readonly<Record<View, ComponentType<{ readonly id: string }>>> = {
  operations: OperationsView,
  requests: RequestsView,
  webhooks: WebhooksView,
  faults: FaultsView,
  clock: ClockView,
  companies: CompaniesView,
  state: StateView,
  new: NewView,
};

const CONNECTION_MARKS: Readonly<Record<ConnectionState, readonly [tone: MarkTone, text: string]>> = {
  connecting: ['waits', 'connecting'],
  connected: ['good', 'connected'],
  lost: ['bad', 'no server'],
};

function Page() {
  const { view, unknownView, id } = route.value;
  const [tone, text] = CONNECTION_MARKS[connectionState.value];
  const Content = CONTENTS[view];
  useEffect(() => {
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [view]);
  const itemName = openItemName.value;
  useEffect(() => {
    document.title = `${itemName === '' ? '' : `${itemName} · `}${capitalize(view)} · svc sandbox`;
  }, [view, itemName]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The fragment of the address names the view, so a click must not change the fragment.
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="top">
        <h1>
          svc <span>sandbox</span>
        </h1>
        <nav aria-label="Views">
          {VIEWS.map((name) => (
            <a
              key={name}
              href={hrefOf(name, '', {})}
              aria-current={unknownView === '' && name === view ? 'page' : undefined}
            >
              {capitalize(name)}
            </a>
          ))}
        </nav>
        <p class="link">
          <a href={hrefOf('clock')}>
            <span class="hidden">The sandbox’s time: </span>
            <RunningClock />
          </a>
          {armedFaults.value.length > 0 && (
            <a class="armed" href={hrefOf('faults', '', {})}>
              {counted(armedFaults.value.length, 'fault')} armed
            </a>
          )}
          <ZoneSwitch />
          <span role="status">
            <StateMark tone={tone}>{text}</StateMark>
          </span>
        </p>
      </header>
      {connectionState.value === 'lost' && (
        <p class="lost" role="alert">
          The server does not answer. The page shows the last known state, and continues when the server is
          back.
        </p>
      )}
      <main id="main" tabIndex={-1}>
        {unknownView === '' ? (
          <Content id={id} />
        ) : (
          <EmptyText>
            <a class="chip" href="#/operations">
              <span class="hidden">Remove </span>
              <bdi>view: {unknownView}</bdi>
              <span aria-hidden="true">×</span>
            </a>{' '}
            Nothing matches.
          </EmptyText>
        )}
      </main>
      <LastMessage />
      <QuestionDialog />
    </>
  );
}

const MESSAGE_MS = 6000;
const BAD_MESSAGE_MS = 15_000;

function LastMessage() {
  const message = lastMessage.value;
  useEffect(() => {
    if (message === null) return;
    const ms = message.isBad === true ? BAD_MESSAGE_MS : MESSAGE_MS;
    const timer = setTimeout(() => (lastMessage.value = null), ms);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <div class="said" role="status" aria-live="polite">
      {message !== null && (
        <p class={message.isBad === true ? 'bad' : ''} dir="auto">
          <span>{message.href === undefined ? message.text : <a href={message.href}>{message.text}</a>}</span>
          <button
            type="button"
            class="copy"
            aria-label="Close the message"
            onClick={() => (lastMessage.value = null)}
          >
            Close
          </button>
        </p>
      )}
    </div>
  );
}

const pageElement = document.getElementById('page');
if (pageElement !== null) render(<Page />, pageElement);

followSandbox();
