/** Buttons that do something: one call each, what came of it said, and what it takes asked for before. */
import { useState } from 'preact/hooks';
import type { Possibility } from './actions.js';
import type { Deed } from './call.js';
import { Lines, say } from './parts.js';
import { refusalOf, send, type ControlReply } from './server.js';

/** Carries it out and says how it ended. */
export async function carryOut(label: string, { call }: Deed): Promise<ControlReply> {
  const answer = await send(call);
  const refusal = refusalOf(answer);
  say(refusal === null ? `${label}: done.` : `${label}: ${refusal}`, refusal !== null);
  return answer;
}

interface DoProps {
  readonly label: string;
  readonly deed: Deed;
  readonly tone?: 'good' | 'bad' | undefined;
  /** What it is about, where the label alone does not say. */
  readonly about?: string;
  readonly onDone?: (answer: ControlReply) => void;
}

export function Do({ label, deed, tone, about, onDone }: DoProps) {
  const [isBusy, setBusy] = useState(false);
  const act = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    const answer = await carryOut(label, deed);
    setBusy(false);
    if (refusalOf(answer) === null) onDone?.(answer);
  };
  return (
    <button
      type="button"
      class={`do ${tone ?? ''}`}
      aria-disabled={isBusy}
      aria-label={about === undefined ? undefined : `${label}: ${about}`}
      onClick={() => void act()}
    >
      {label}
    </button>
  );
}

/** An action with what it asks for, what is true afterwards, and its lines. */
function ActionRow({ action }: { readonly action: Possibility }) {
  const { asked, label, effect, tone } = action;
  const [value, setValue] = useState(asked?.value ?? '');
  const deed = action.make(value);
  return (
    <li class="action">
      <div class="act">
        {asked !== undefined && (
          <label>
            <span class="hidden">{asked.label}</span>
            {asked.options === undefined ? (
              <input value={value} onInput={({ currentTarget }) => setValue(currentTarget.value)} />
            ) : (
              <select value={value} onChange={({ currentTarget }) => setValue(currentTarget.value)}>
                {asked.options.map((option) => (
                  <option key={option}>{option}</option>
                ))}
              </select>
            )}
          </label>
        )}
        <Do label={label} deed={deed} tone={tone} />
      </div>
      <p>{effect}</p>
      <Lines deed={deed} />
    </li>
  );
}

export function Actions({ actions }: { readonly actions: readonly Possibility[] }) {
  return (
    <ul class="actions">
      {actions.map((action) => (
        <ActionRow key={action.label} action={action} />
      ))}
    </ul>
  );
}
