/** Webhooks: registered urls, what was delivered to them, and one delivery with its attempts and its signature. */
import { useState } from 'preact/hooks';
import { keyWith, service, control } from './call.js';
import { Whose, Copy, Line, Lines, StatusMark, Time, Empty, Fact, HttpStatus, StateMark } from './parts.js';
import { pingOf } from './actions.js';
import { Do } from './doing.js';
import { away } from './format.js';
import { useList } from './live-list.js';
import { deliveryPath, explanationPath, type DeliveryJson, type AttemptJson } from './answers.js';
import { hrefOf } from './route.js';
import { type RowColumn, Closely, RowsOrNone, Split } from './rows.js';
import { companies, readCompanies, sandboxNowMs, useControl } from './server.js';
import { SideView } from './requests.js';

const COLUMNS: readonly RowColumn<DeliveryJson>[] = [
  { title: 'Status', cell: ({ status }) => <StatusMark status={status} /> },
  {
    title: 'Delivery',
    cell: ({ id, type, url }) => (
      <a class="whole" href={hrefOf('webhooks', id)}>
        <span class="main">{type}</span>
        <span class="sub">
          <bdi>{url}</bdi>
        </span>
      </a>
    ),
  },
  { title: 'Attempts', class: 'number', cell: ({ attempts }) => attempts.length },
  {
    title: 'Next',
    class: 'wide',
    cell: ({ next_attempt_at: next }) => (next === null ? '' : <Time iso={next} />),
  },
];

export function WebhooksView({ id }: { readonly id: string }) {
  const list = useList('deliveries', '');
  const chosen = useControl(id === '' ? null : deliveryPath(id), 'deliveries');
  return (
    <Split
      isOpen={id !== ''}
      label="URLs and deliveries"
      detail={
        <Closely
          label="Delivery"
          view="webhooks"
          data={chosen}
          none="No delivery has this id"
          show={(delivery) => <DeliveryView key={id} delivery={delivery} />}
        />
      }
    >
      {id === '' && <Urls />}
      <RowsOrNone
        label="Deliveries"
        columns={COLUMNS}
        rows={list.rows.value}
        none="Nothing was delivered yet. An operation that ends sends an event. So does a ping."
        keyOf={(row) => row.id}
        chosen={id}
        onSeen={list.see}
      />
    </Split>
  );
}

function Urls() {
  const now = sandboxNowMs();
  return (
    <section class="card" aria-labelledby="urls">
      <h2 id="urls">Registered URLs</h2>
      <ul class="plain">
        {companies.value.flatMap((company) =>
          company.webhooks.map((webhook) => {
            const { name, environment } = company;
            const age = now === null ? '' : `, secret made ${away(webhook.created_at, now)}`;
            return (
              <li key={webhook.id}>
                <span>
                  <span class="main">
                    <bdi>{webhook.url}</bdi>
                  </span>
                  <span class="sub">
                    {name}, {environment}
                    {age}
                    {webhook.replaced_at !== null && ', replaced'}
                  </span>
                </span>
                {webhook.replaced_at === null && (
                  <>
                    <Do label="Ping" about={webhook.url} deed={pingOf(company)} />
                    <Lines deed={pingOf(company)} />
                  </>
                )}
              </li>
            );
          }),
        )}
      </ul>
      <Register />
    </section>
  );
}

function Register() {
  const [url, setUrl] = useState('');
  const [whose, setWhose] = useState(0);
  const [secret, setSecret] = useState<string | null>(null);
  const company = companies.value[whose];
  const key =
    company && keyWith(companies.value, { ...company, company: company.name }, 'webhooks:configurar');
  if (company === undefined || key === undefined) return null;
  const deed = {
    call: service('POST', '/v2/webhook-endpoints', key, { url }),
    words: ['webhooks', 'register', `--url=${url}`],
  };
  return (
    <details class="form">
      <summary>Register a URL</summary>
      <div class="fields">
        <label>
          URL
          <input
            type="url"
            placeholder="https://"
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </label>
        <Whose companies={companies.value} value={whose} set={setWhose} />
        <Do
          label="Register"
          tone="good"
          deed={deed}
          onDone={({ json }) => {
            setSecret((json as { secret?: string }).secret ?? null);
            readCompanies();
          }}
        />
      </div>
      {secret !== null && <Line label="secret" text={secret} />}
      <p class="note">
        For http:// on this machine, start the server with --allow-http-webhooks.{' '}
        <Copy text="svc sandbox start --allow-http-webhooks" label="that command" />
      </p>
      <Lines deed={deed} />
    </details>
  );
}

function DeliveryView({ delivery }: { readonly delivery: DeliveryJson }) {
  const { id, type, url, status, attempts, event_id: event, next_attempt_at: next } = delivery;
  const now = sandboxNowMs();
  const deed = {
    call: control(`deliveries/${id}/resend`, {}),
    words: ['sandbox', 'deliveries', '--resend', id],
  };
  return (
    <>
      <header class="title">
        <h2>{type}</h2>
        <StatusMark status={status} />
      </header>
      <dl class="facts">
        <Fact name="URL">
          <bdi>{url}</bdi>
        </Fact>
        <Fact name="Event">
          <code>{event}</code>
        </Fact>
        {next !== null && (
          <Fact name="Next attempt">
            <Time iso={next} /> {now !== null && `(${away(next, now)})`}
          </Fact>
        )}
      </dl>
      <div class="again">
        <Do label="Send again" tone="good" deed={deed} />
        <Lines deed={deed} />
      </div>
      {attempts.length > 0 && <Signature id={id} />}
      <section>
        <h3>Attempts</h3>
        {attempts.length === 0 && <Empty>None yet.</Empty>}
        {attempts.map((attempt, index) => (
          <AttemptView
            key={index}
            attempt={attempt}
            number={index + 1}
            isOpen={index === attempts.length - 1}
          />
        ))}
      </section>
    </>
  );
}

interface AttemptProps {
  readonly attempt: AttemptJson;
  readonly number: number;
  readonly isOpen: boolean;
}

function AttemptView({ attempt, number, isOpen }: AttemptProps) {
  const { status, error, at, ms, request, answer } = attempt;
  return (
    <details class="attempt" open={isOpen}>
      <summary>
        <span>{number}</span>{' '}
        {status === null ? <StateMark tone="bad">no answer</StateMark> : <HttpStatus status={status} />}{' '}
        <Time iso={at} />
        {ms !== undefined && <span class="sub"> {ms.toFixed(0)} ms</span>}
      </summary>
      {error !== null && <p class="reason">{error}</p>}
      <SideView name="Sent" side={request ?? null} />
      <SideView name="Answer" side={answer ?? null} />
    </details>
  );
}

function Signature({ id }: { readonly id: string }) {
  const found = useControl(explanationPath(id), 'deliveries');
  if (found === null) return null;
  return (
    <section>
      <h3>Signature</h3>
      <p>
        <StateMark tone={found.valid ? 'good' : 'bad'}>
          {found.valid ? 'The last attempt is signed correctly' : 'A receiver must reject the last attempt'}
        </StateMark>
      </p>
      <ol class="steps">
        {found.steps.map(({ check, ok, text }, index) => (
          <li key={index} dir="auto">
            <StateMark tone={ok ? 'good' : 'bad'}>{check}</StateMark> <span class="sub">{text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
