/** The sandbox's clock: what time it is there and how far from the real one, what is due next, steps forward, and the way back, which is a reset. */
import { useState } from 'preact/hooks';
import { CLOCK_STEPS, movingOf, questionOfMove } from './actions.js';
import { Actions, Do, EnterForm } from './doing.js';
import { away, duration } from './format.js';
import { Empty, Lines, TextInput, Ticking, Time } from './parts.js';
import { clock, sandboxNowMs } from './server.js';
import { Reset } from './start.js';

const MINUTE_MS = 60_000;

/** To the minute: seconds are lost on the way of an answer. */
function offText(nowMs: number): string {
  const ahead = Math.round((nowMs - Date.now()) / MINUTE_MS) * MINUTE_MS;
  return ahead <= 0 ? 'The same as real time.' : `${duration(ahead)} ahead of real time.`;
}

export function ClockView() {
  const read = clock.value;
  const [now, due] = [sandboxNowMs(), read?.next_due ?? null];
  // As many whole seconds as it takes to be there.
  const seconds =
    due === null || now === null ? 0 : Math.max(0, Math.ceil((Date.parse(due.at) - now) / 1000));
  const there = movingOf(seconds);
  return (
    <div class="page">
      <section class="card" aria-labelledby="now">
        <h2 id="now">Now, in the sandbox</h2>
        <p class="big">
          <Ticking isWhole />
        </p>
        {now !== null && <p>{offText(now)}</p>}
        <p class="note">
          Everything that falls due on the way happens at its own time. The clock never goes back.
        </p>
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
                <Time isLabelled iso={due.at} />, {away(due.at, now)}
              </span>
            </p>
            <div class="again">
              <Do label="Go to that time" tone="good" deed={there} question={questionOfMove(seconds)} />
              <Lines deed={there} />
            </div>
          </>
        )}
      </section>
      <AnotherStep />
      <section class="card" aria-labelledby="reset">
        <h2 id="reset">Back to the beginning</h2>
        <p class="note">Only a reset sets the clock back. It empties the sandbox.</p>
        <Reset />
      </section>
    </div>
  );
}

const UNITS = [
  ['days', 'Days', 86_400],
  ['hours', 'Hours', 3600],
  ['minutes', 'Minutes', 60],
] as const;

function AnotherStep() {
  const [typed, setTyped] = useState({ days: '', hours: '', minutes: '90' });
  const seconds = Math.round(UNITS.reduce((sum, [name, , size]) => sum + Number(typed[name]) * size, 0));
  const isForward = seconds > 0;
  const deed = movingOf(isForward ? seconds : 0);
  return (
    <section class="card" aria-labelledby="far">
      <h2 id="far">Another step</h2>
      <EnterForm name="fields">
        {UNITS.map(([name, label]) => (
          <TextInput
            key={name}
            label={label}
            inputMode="decimal"
            value={typed[name]}
            set={(value) => setTyped({ ...typed, [name]: value })}
          />
        ))}
        <Do
          label="Advance"
          deed={deed}
          refused={isForward ? null : 'Enter numbers above zero. The clock never goes back.'}
          question={questionOfMove(seconds)}
        />
      </EnterForm>
      {isForward && <Lines deed={deed} />}
    </section>
  );
}
