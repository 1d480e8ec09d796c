/** Webhooks: registered urls, and what was delivered to them. */
import { useState } from 'preact/hooks';
import { keyWith, service } from './call.js';
import { Whose } from './choice.js';
import { pingOf } from './deeds.js';
import { DeliveryView } from './delivery.js';
import { Do } from './doing.js';
import { away } from './format.js';
import { useList } from './live-list.js';
import { Copy, Line, Lines, StatusMark, Time } from './parts.js';
import { deliveryPath } from './paths.js';
import { hrefOf } from './route.js';
import type { RowColumn } from './rows.js';
import { companies, readCompanies, sandboxNowMs, useControl } from './server.js';
import { Closely, RowsOrNone, Split } from './split.js';
import type { DeliveryJson } from './types.js';

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
