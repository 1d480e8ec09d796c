/** One request of the log: both sides, why it was refused, and sending it again. */
import { useState } from 'preact/hooks';
import type { LoggedWhole, ShownSide } from '../log/logged.js';
import { again } from './again.js';
import { curlLine, type Call } from './call.js';
import { carryOut } from './doing.js';
import { Copy, Empty, Fact, HttpStatus, Line, StateMark, Text, Time } from './parts.js';
import { requestPath } from './paths.js';
import { companies, origin, useControl } from './server.js';
import { Closely } from './split.js';

export function RequestView({ id }: { readonly id: string }) {
  const request = useControl(requestPath(id));
  return (
    <Closely
      label="Request"
      view="requests"
      data={request}
      none="The log no longer has a request with this number"
      show={(found) => <Known request={found} />}
    />
  );
}

function Known({ request }: { readonly request: LoggedWhole }) {
  const { method, path, status, refused, fault, replayed, company, idempotency_key: key } = request;
  return (
    <>
      <header class="title">
        <h2>
          {method} <bdi>{path}</bdi>
        </h2>
        <HttpStatus status={status} />
      </header>
      {refused !== null && (
        <p class="reason" dir="auto">
          <strong>Refused:</strong> {refused}
        </p>
      )}
      <dl class="facts">
        <Fact name="When">
          <Time iso={request.at} />
        </Fact>
        <Fact name="Took">{request.ms.toFixed(1)} ms</Fact>
        {company !== null && <Fact name="Company">{company}</Fact>}
        {key !== null && (
          <Fact name="Idempotency key">
            <code>{key}</code>
            {replayed && ' (a replay)'}
          </Fact>
        )}
        {fault !== null && (
          <Fact name="Armed fault">
            <StateMark tone="bad">{fault}</StateMark>
          </Fact>
        )}
      </dl>
      <Again request={request} />
      <SideView name="Request" side={request.request} />
      <SideView name="Answer" side={request.answer} />
    </>
  );
}

function Again({ request }: { readonly request: LoggedWhole }) {
  const [newKey, setNewKey] = useState(() => crypto.randomUUID());
  const [same, other] = [again(request, companies.value), again(request, companies.value, newKey)];
  if (same === null || other === null)
    return <Empty>This page cannot send it again: the log did not keep all of it.</Empty>;
  const repeat = (call: Call): void => void carryOut('Sent again', { call, words: [] });
  return (
    <div class="again">
      <button type="button" class="do" onClick={() => repeat(same)}>
        Send again
      </button>
      <Line label="curl" text={curlLine(origin, same)} />
      {request.idempotency_key !== null && (
        <>
          <button
            type="button"
            class="do"
            onClick={() => {
              repeat(other);
              setNewKey(crypto.randomUUID());
            }}
          >
            Send again with a new key
          </button>
          <Line label="new key" text={curlLine(origin, other)} />
        </>
      )}
    </div>
  );
}

export function SideView({ name, side }: { readonly name: string; readonly side: ShownSide | null }) {
  if (side === null) return null;
  const headers = Object.entries(side.headers);
  return (
    <section>
      <h3>{name}</h3>
      {headers.length > 0 && (
        <details>
          <summary>{headers.length} headers</summary>
          <div class="text">
            <pre tabIndex={0} role="region" aria-label={`${name} headers`}>
              {headers.map(([header, value]) => `${header}: ${value}`).join('\n')}
            </pre>
          </div>
        </details>
      )}
      {side.body === '' ? (
        <Empty>No body.</Empty>
      ) : side.encoding === 'base64' ? (
        <p>
          The body is not text. <Copy text={side.body} label={`${name} body as base64`} />
        </p>
      ) : (
        <Text text={side.body} label={`${name} body`} />
      )}
      {side.truncated === true && <Empty>The log kept only the beginning.</Empty>}
    </section>
  );
}
