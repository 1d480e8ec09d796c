/** Webhooks: registered urls, and what was delivered to them. */
import { useState } from 'preact/hooks';
import { control, keyWith, service } from './call.js';
import { DeliveryView } from './delivery.js';
import { Do } from './doing.js';
import { away } from './format.js';
import { useList } from './live-list.js';
import { Copy, Empty, Line, Lines, StatusMark, Time } from './parts.js';
import { deliveryAt } from './paths.js';
import { hrefOf } from './route.js';
import { Rows, type RowColumn } from './rows.js';
import { companies, readCompanies, sandboxNowMs, useControl } from './server.js';
import type { CompanyJson, DeliveryJson } from './types.js';

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
  const rows = list.rows.value;
  const chosen = useControl(id === '' ? null : deliveryAt(id), 'deliveries');
  return (
    <div class={id === '' ? 'split' : 'split open'}>
      <section class="list" aria-label="Urls and deliveries">
        {id === '' && <Urls />}
        {rows?.length === 0 ? (
          <Empty>Nothing was delivered yet. An operation that ends makes an event, and so does a ping.</Empty>
        ) : (
          <Rows
            label="Deliveries"
            columns={COLUMNS}
            rows={rows ?? []}
            keyOf={(row) => row.id}
            chosen={id}
            onSeen={list.see}
          />
        )}
      </section>
      {id !== '' && (
        <section class="detail" aria-label="Delivery">
          <a class="back" href={hrefOf('webhooks')}>
            All deliveries
          </a>
          {chosen === null ? (
            <Empty>No delivery has this id, or it is being read.</Empty>
          ) : (
            <DeliveryView key={id} delivery={chosen} />
          )}
        </section>
      )}
    </div>
  );
}

function Urls() {
  const now = sandboxNowMs();
  return (
    <section class="card" aria-labelledby="urls">
      <h2 id="urls">Registered urls</h2>
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
                    {webhook.replaced_at !== null && ', replaced by another'}
                  </span>
                </span>
                {webhook.replaced_at === null && (
                  <Do label="Ping" about={webhook.url} deed={pingOf(company)} />
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

function pingOf({ name, environment }: CompanyJson) {
  return {
    call: control('ping', { company: name, environment }),
    words: ['sandbox', 'ping', '--company', name, '--environment', environment],
  };
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
      <summary>Register a url</summary>
      <div class="fields">
        <label>
          Url
          <input
            type="url"
            placeholder="https://"
            value={url}
            onInput={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </label>
        <label>
          Company
          <select value={whose} onChange={({ currentTarget }) => setWhose(Number(currentTarget.value))}>
            {companies.value.map(({ name, environment }, index) => (
              <option key={`${name} ${environment}`} value={index}>
                {name}, {environment}
              </option>
            ))}
          </select>
        </label>
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
        http:// on this machine is taken where the server was started with --allow-http-webhooks.{' '}
        <Copy text="svc sandbox start --allow-http-webhooks" label="that command" />
      </p>
      <Lines deed={deed} />
    </details>
  );
}
