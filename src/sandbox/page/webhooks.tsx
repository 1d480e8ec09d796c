import { useState } from 'preact/hooks';
import { groupDigits } from '../../contract/on-screen.js';
import { keyWithScope, controlCall, svcCommandLine } from './call.js';
import { Card, Chips, CompanyFilter, CompanySelect, CopyableFact, CopyButton, EmptyText } from './parts.js';
import { Fact, FaultName, FilterSelect, HttpStatus, Line, Terminal, Search, StateMark } from './parts.js';
import { TextInput, Time } from './parts.js';
import type { MarkTone } from './parts.js';
import { pingCommand, registerCommand } from './actions.js';
import { Button, ButtonWithCommand, EnterForm } from './doing.js';
import { distanceText, nameOf } from './format.js';
import { readFilters, filterText, isOneOf } from './filters.js';
import { useList } from './live-list.js';
import { companyText, deliveryPath, explanationPath } from './answers.js';
import type { DeliveryJson, CompanyJson } from './answers.js';
import { hrefOf } from './route.js';
import { type RowColumn, ItemDetail, ListView } from './rows.js';
import { companies, origin, sandboxNowMs, useControl } from './server.js';
import { SideView } from './requests.js';

function ResultMark({ delivery: { result, status } }: { readonly delivery: DeliveryJson }) {
  const tone: MarkTone = result === null ? 'waits' : status === 'delivered' ? 'good' : 'bad';
  return <StateMark tone={tone}>{result ?? 'waiting'}</StateMark>;
}

/** The fault that affects the delivery now, or else the first that affected it. */
const faultOf = ({ fault, attempts }: DeliveryJson): string | null =>
  fault ?? attempts.find((attempt) => attempt.fault !== undefined)?.fault ?? null;

const COLUMNS: readonly RowColumn<DeliveryJson>[] = [
  { title: 'Last result', class: 'result', cell: (row) => <ResultMark delivery={row} /> },
  {
    title: 'Delivery',
    cell: (row) => {
      const reference = row.reference !== null && (
        <>
          {' '}
          · <bdi>{row.reference}</bdi>
        </>
      );
      return (
        <a class="whole" href={hrefOf('webhooks', row.id)}>
          <span class="main">
            {row.type}
            <span class="full">{reference}</span>
          </span>
          <span class="sub">
            <span class="brief">
              <ResultMark delivery={row} />
              {reference}
            </span>
            <FaultName fault={faultOf(row)} /> <bdi class="full">{row.url}</bdi>
          </span>
        </a>
      );
    },
  },
  {
    title: 'Amount',
    class: 'number',
    cell: ({ amount, currency }) =>
      amount !== null && (
        <>
          {groupDigits(amount)} <span class="sub">{currency}</span>
        </>
      ),
  },
  { title: 'Attempts', class: 'few', cell: ({ attempts }) => attempts.length },
  {
    ...{ title: 'Next', class: 'wide', isTime: true },
    cell: ({ next_attempt_at: next }) => (next === null ? '' : <Time iso={next} />),
  },
];

const STATUSES: readonly DeliveryJson['status'][] = ['pending', 'delivered', 'exhausted'];

export function WebhooksView({ id }: { readonly id: string }) {
  const { chips, query } = readFilters({ status: isOneOf(STATUSES) }, { operation: true });
  const filter = filterText(query);
  const list = useList('deliveries', filter);
  return (
    <ListView
      name="URLs and deliveries"
      label="Deliveries"
      columns={COLUMNS}
      list={list}
      openId={id}
      emptyText={
        filter === ''
          ? 'Nothing was delivered yet. An operation that ends sends an event. So does a ping.'
          : 'Nothing matches.'
      }
      detail={
        <ItemDetail
          label="Delivery"
          view="webhooks"
          path={deliveryPath(id)}
          kinds={['deliveries']}
          emptyText="No delivery has this id"
          name={({ type, reference }) => `${type}${reference === null ? '' : ` ${reference}`}`}
          show={(delivery) => <DeliveryView key={id} delivery={delivery} />}
        />
      }
    >
      {id === '' && <UrlList />}
      <div class="filters">
        <Search what="event, reference, id or URL" hint="Event, reference, id or URL" />
        <FilterSelect name="status" label="Status" options={STATUSES} />
        <CompanyFilter />
        <Chips filters={chips} />
      </div>
    </ListView>
  );
}

function UrlList() {
  const now = sandboxNowMs();
  const registrations = companies.value.flatMap((company) =>
    company.webhooks.map((webhook) => ({ company, webhook })),
  );
  return (
    <Card id="urls" title="Registered URLs">
      {companies.value.map((company) => (
        <NoUrlWarning key={`${company.name} ${company.environment}`} company={company} />
      ))}
      <ul class="plain">
        {registrations.map(({ company, webhook }) => {
          const ageText = now === null ? '' : `, secret made ${distanceText(webhook.created_at, now)}`;
          return (
            <li key={webhook.id}>
              <span>
                <span class="main">
                  <bdi>{webhook.url}</bdi> <CopyButton text={webhook.url} label="URL" />
                </span>
                <span class="sub">
                  {companyText(company)}
                  {ageText}
                  {webhook.replaced_at !== null && ', replaced'}
                </span>
              </span>
              {webhook.replaced_at === null && (
                <>
                  <Button label="Ping" subject={webhook.url} command={pingCommand(company)} />
                  <Terminal command={pingCommand(company)} />
                </>
              )}
            </li>
          );
        })}
      </ul>
      <RegisterForm />
    </Card>
  );
}

export function NoUrlWarning({ company }: { readonly company: CompanyJson }) {
  const key = keyWithScope(company, 'webhooks:configurar');
  if (company.webhooks.some(({ replaced_at: replacedAt }) => replacedAt === null)) return null;
  return (
    <div class="reason">
      <p>No URL is registered for {companyText(company)}: its events are not delivered. Register one:</p>
      {key !== undefined && (
        <Line label="svc" text={svcCommandLine(origin, registerCommand(key, 'https://example.com/hooks'))} />
      )}
    </div>
  );
}

function RegisterForm() {
  const [url, setUrl] = useState('');
  const [companyIndex, setCompanyIndex] = useState(0);
  const [secret, setSecret] = useState<string | null>(null);
  const company = companies.value[companyIndex];
  const key = keyWithScope(company, 'webhooks:configurar');
  if (key === undefined) return null;
  const command = registerCommand(key, url);
  return (
    <details class="form">
      <summary>Register a URL</summary>
      <EnterForm className="fields">
        <TextInput label="URL" type="url" placeholder="https://" value={url} set={setUrl} />
        <CompanySelect owners={companies.value} value={companyIndex} set={setCompanyIndex} />
        <Button
          label="Register"
          tone="good"
          command={command}
          onDone={({ json }) => setSecret((json as { secret?: string }).secret ?? null)}
        />
      </EnterForm>
      {secret !== null && <Line label="secret" text={secret} />}
      <p class="note">
        For http:// on this machine, start the server with --allow-http-webhooks.{' '}
        <CopyButton text="svc sandbox start --allow-http-webhooks" label="that command" />
      </p>
      <Terminal command={command} />
    </details>
  );
}

function DeliveryView({ delivery }: { readonly delivery: DeliveryJson }) {
  const { id, type, url, attempts, event_id: eventId, next_attempt_at: next } = delivery;
  const { operation_id: operationId, reference, amount, currency } = delivery;
  const now = sandboxNowMs();
  const resend = {
    call: controlCall(`deliveries/${id}/resend`, {}),
    words: ['sandbox', 'deliveries', '--resend', id],
  };
  return (
    <>
      <header class="title">
        <h2>{type}</h2>
        <ResultMark delivery={delivery} />
      </header>
      <dl class="facts">
        {operationId !== null && (
          <Fact name="Operation">
            <a href={hrefOf('operations', operationId)}>
              {nameOf({ id: operationId, reference })}, {groupDigits(amount ?? '')} {currency}
            </a>{' '}
            <a href={hrefOf('webhooks', '', { operation: operationId })}>all its deliveries</a>
          </Fact>
        )}
        <CopyableFact name="URL" text={url} label="URL" />
        <CopyableFact name="Event" text={eventId} label="event id">
          {' '}
          <a href={hrefOf('webhooks', '', { search: eventId })}>its deliveries</a>
        </CopyableFact>
        <CopyableFact name="Delivery" text={id} label="delivery id" />
        {faultOf(delivery) !== null && (
          <Fact name="Armed fault">
            <StateMark tone="bad">{faultOf(delivery)}</StateMark>
          </Fact>
        )}
        {next !== null && (
          <Fact name="Next attempt">
            <Time showsZone iso={next} /> {now !== null && `(${distanceText(next, now)})`}
          </Fact>
        )}
      </dl>
      <ButtonWithCommand label="Send again" tone="good" command={resend} />
      {attempts.length > 0 && <Signature id={id} />}
      <section>
        <h3>Attempts</h3>
        {attempts.length === 0 && <EmptyText>None yet.</EmptyText>}
        {attempts.map(({ status: code, error, at, ms, request, answer, fault }, index) => (
          <details key={index} class="attempt" open={index === attempts.length - 1}>
            <summary>
              <span>{index + 1}</span>{' '}
              {code === null ? <StateMark tone="bad">no answer</StateMark> : <HttpStatus status={code} />}{' '}
              <Time iso={at} />
              {ms !== null && <span class="sub"> {ms.toFixed(0)} ms</span>} <FaultName fault={fault} />
            </summary>
            {error !== null && <p class="reason">{error}</p>}
            <SideView name="Sent" side={request} />
            <SideView name="Answer" side={answer} />
          </details>
        ))}
      </section>
    </>
  );
}

function Signature({ id }: { readonly id: string }) {
  const explanation = useControl(explanationPath(id), 'deliveries');
  if (explanation === null) return null;
  return (
    <section>
      <h3>Signature</h3>
      <p>
        <StateMark tone={explanation.valid ? 'good' : 'bad'}>
          {explanation.valid
            ? 'The last attempt is signed correctly'
            : 'A receiver must reject the last attempt'}
        </StateMark>
      </p>
      <ol class="steps">
        {explanation.steps.map(({ check, ok, text }, index) => (
          <li key={index} dir="auto">
            <StateMark tone={ok ? 'good' : 'bad'}>{check}</StateMark> <span class="sub">{text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
