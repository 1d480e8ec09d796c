/** One delivery: its attempts with both sides, when the next is, and what a receiver makes of its signature. */
import { control } from './call.js';
import { Do } from './doing.js';
import { away } from './format.js';
import { Empty, Fact, HttpStatus, Lines, StateMark, StatusMark, Time } from './parts.js';
import { explanationPath } from './paths.js';
import { SideView } from './request.js';
import { sandboxNowMs, useControl } from './server.js';
import type { AttemptJson, DeliveryJson } from './types.js';

export function DeliveryView({ delivery }: { readonly delivery: DeliveryJson }) {
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
