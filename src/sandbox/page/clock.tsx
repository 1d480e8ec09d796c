/** The clock of the sandbox: now, what is due next, and moving it. */
import { useState } from 'preact/hooks';
import { CLOCK_STEPS, movingOf } from './actions.js';
import { Actions, Do } from './doing.js';
import { away } from './format.js';
import { Empty, TextInput, Lines, Time, Ticking } from './parts.js';
import { clock, sandboxNowMs } from './server.js';

export function ClockView() {
  const [minutes, setMinutes] = useState('90');
  const read = clock.value;
  const [now, due] = [sandboxNowMs(), read?.next_due ?? null];
  const there = movingOf(due === null || now === null ? 0 : secondsTo(due.at, now));
  const own = movingOf(Math.round(Number(minutes) * 60));
  return (
    <div class="page">
      <section class="card" aria-labelledby="now">
        <h2 id="now">Now, in the sandbox</h2>
        <p class="big">
          <Ticking isWhole />
        </p>
        <p class="note">UTC. Everything that falls due on the way happens at its own time.</p>
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
                <Time iso={due.at} />, {away(due.at, now)}
              </span>
            </p>
            <div class="again">
              <Do label="Go to that time" tone="good" deed={there} />
              <Lines deed={there} />
            </div>
          </>
        )}
      </section>
      <section class="card" aria-labelledby="far">
        <h2 id="far">Another step</h2>
        <div class="fields">
          <TextInput label="Minutes" inputMode="decimal" value={minutes} set={setMinutes} />
          <Do label="Advance" deed={own} />
        </div>
        <Lines deed={own} />
      </section>
    </div>
  );
}

/** As many whole seconds as it takes to be there. */
function secondsTo(iso: string, nowMs: number): number {
  return Math.max(0, Math.ceil((Date.parse(iso) - nowMs) / 1000));
}
