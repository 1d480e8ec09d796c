import { useState } from 'preact/hooks';
import { CLOCK_STEPS, clockCommand, questionOfMove } from './actions.js';
import { Actions, Button, ButtonWithCommand, EnterForm } from './doing.js';
import { clockOffsetText, distanceText } from './format.js';
import { Card, EmptyText, Terminal, TextInput, RunningClock, Time } from './parts.js';
import { CLOCK_PATH } from './answers.js';
import { sandboxNowMs, useControl } from './server.js';
import { hrefOf } from './route.js';
import { ResetButton } from './start.js';

export function ClockView() {
  const answer = useControl(CLOCK_PATH, 'clock', 'operations', 'deliveries');
  const [now, due] = [sandboxNowMs(), answer?.next_due ?? null];
  const seconds =
    due === null || now === null ? 0 : Math.max(0, Math.ceil((Date.parse(due.at) - now) / 1000));
  return (
    <div class="page">
      <Card id="now" title="Now, in the sandbox">
        <p class="big">
          <RunningClock showsYearAndZone />
        </p>
        {now !== null && <p>{clockOffsetText(now - Date.now())}</p>}
        <p class="note">
          Everything that falls due on the way happens at its own time. The clock never goes back.
        </p>
        <Actions actions={CLOCK_STEPS} />
      </Card>
      <Card id="due" title="Next">
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
                <Time showsZone iso={due.at} />, {distanceText(due.at, now)}
              </span>
            </p>
            <ButtonWithCommand
              label="Go to that time"
              tone="good"
              command={clockCommand(seconds)}
              question={questionOfMove(seconds)}
            />
          </>
        )}
      </Card>
      <StepForm />
      <Card id="reset" title="Back to the beginning">
        <p class="note">
          Only a reset sets the clock back. It empties the sandbox, or goes back to its --seed.
        </p>
        <ResetButton />
      </Card>
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
    <Card id="far" title="Another step">
      <EnterForm className="fields">
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
      {isForward && <Terminal command={command} />}
    </Card>
  );
}
