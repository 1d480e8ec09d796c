/** The clock of the sandbox: now, what is due next, and moving it. */
import { useState } from 'preact/hooks';
import { control, type Deed } from './call.js';
import { Do } from './doing.js';
import { away } from './format.js';
import { Empty, Lines, Time } from './parts.js';
import { clock, sandboxNowMs } from './server.js';
import { Ticking } from './ticking.js';

const STEPS = [
  ['+1 min', 60],
  ['+1 h', 3600],
  ['+48 h', 172_800],
] as const;

export function ClockView() {
  const [minutes, setMinutes] = useState('90');
  const read = clock.value;
  const [now, due] = [sandboxNowMs(), read?.next_due ?? null];
  const own = movingOf(Math.round(Number(minutes) * 60));
  return (
    <div class="page">
      <section class="card" aria-labelledby="now">
        <h2 id="now">Now, in the sandbox</h2>
        <p class="big">
          <Ticking isWhole />
        </p>
        <p class="note">UTC. Whatever falls due on the way happens, each thing at its own moment.</p>
        <div class="buttons">
          {STEPS.map(([label, seconds]) => (
            <Do key={label} label={label} deed={movingOf(seconds)} />
          ))}
        </div>
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
            <Do
              label="Go there"
              tone="good"
              deed={movingOf(Math.max(0, Math.ceil((Date.parse(due.at) - now) / 1000)))}
            />
          </>
        )}
      </section>
      <section class="card" aria-labelledby="far">
        <h2 id="far">By another time</h2>
        <div class="fields">
          <label>
            Minutes
            <input
              inputMode="decimal"
              value={minutes}
              onInput={({ currentTarget }) => setMinutes(currentTarget.value)}
            />
          </label>
          <Do label="Advance" deed={own} />
        </div>
        <Lines deed={own} />
      </section>
    </div>
  );
}

function movingOf(seconds: number): Deed {
  return {
    call: control('clock', { advance_seconds: seconds }),
    words: ['sandbox', 'clock', 'advance', `${String(seconds)}s`],
  };
}
