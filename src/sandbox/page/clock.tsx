import { useState } from 'preact/hooks';
import { CLOCK_STEPS, clockCommand, questionOfMove } from './actions.js';
import { Actions, Button, ButtonWithLines, EnterForm } from './doing.js';
import { clockOffsetText, distance } from './format.js';
import { EmptyText, Lines, TextInput, RunningClock, Time } from './parts.js';
import { CLOCK } from './answers.js';
import { sandboxNowMs, useControl } from './server.js';
import { hrefOf } from './route.js';
import { Reset } from './start.js';

export function ClockView() {
  const answer = useControl(CLOCK, 'clock', 'operations', 'deliveries');
  const [now, due] = [sandboxNowMs(), answer?.next_due ?? null];
  const seconds =
    due === null || now === null ? 0 : Math.max(0, Math.ceil((Date.parse(due.at) - now) / 1000));
  return (
    <div class="page">
      <section class="card" aria-labelledby="now">
        <h2 id="now">Now, in the sandbox</h2>
        <p class="big">
          <RunningClock showsYearAndZone />
        </p>
        {now !== null && <p>{clockOffsetText(now - Date.now())}</p>}
        <p class="note">
          Everything that falls due on the way happens at its own time. The clock never goes back.
        </p>
        <Actions actions={CLOCK_STEPS} />
      </section>
      <section class="card" aria-labelledby="due">
        <h2 id="due">Next</h2>
        {due === null || now === null ? (
          <EmptyText>Nothing is due.</EmptyText>
        ) : (
          <>
            <p>
              <span class="main">{due.what}</span>
              {due.reference !== undefined && (
                <>
                  {' · '}
                  <a href={hrefOf('operations', '', { search: due.reference })}>
                    <bdi>{due.reference}</bdi>
                  </a>
                </>
              )}{' '}
              <span class="sub">
                <Time showsZone iso={due.at} />, {distance(due.at, now)}
              </span>
            </p>
            <ButtonWithLines
              label="Go to that time"
              tone="good"
              command={clockCommand(seconds)}
              question={questionOfMove(seconds)}
            />
          </>
        )}
      </section>
      <StepForm />
      <section class="card" aria-labelledby="reset">
        <h2 id="reset">Back to the beginning</h2>
        <p class="note">
          Only a reset sets the clock back. It empties the sandbox, or goes back to its --seed.
        </p>
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

function StepForm() {
  const [inputs, setInputs] = useState({ days: '', hours: '', minutes: '90' });
  const seconds = Math.round(UNITS.reduce((sum, [name, , size]) => sum + Number(inputs[name]) * size, 0));
  const isForward = seconds > 0;
  const command = clockCommand(isForward ? seconds : 0);
  return (
    <section class="card" aria-labelledby="far">
      <h2 id="far">Another step</h2>
      <EnterForm name="fields">
        {UNITS.map(([name, label]) => (
          <TextInput
            key={name}
            label={label}
            inputMode="decimal"
            value={inputs[name]}
            set={(value) => setInputs({ ...inputs, [name]: value })}
          />
        ))}
        <Button
          label="Advance"
          command={command}
          refusal={isForward ? null : 'Enter numbers above zero. The clock never goes back.'}
          question={questionOfMove(seconds)}
        />
      </EnterForm>
      {isForward && <Lines command={command} />}
    </section>
  );
}
