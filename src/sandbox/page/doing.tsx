/** Buttons that do something: one call each, what came of it said, what it takes asked for before, and a question where it cannot be undone. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Possibility } from './actions.js';
import { deliveryPath, operationPath, type DeliveryJson } from './answers.js';
import type { Call, Deed } from './call.js';
import { nameOf, operationIn, operationText, statusText, wholeText } from './outcome.js';
import { Lines, say, zone, type Said } from './parts.js';
import { hrefOf, route } from './route.js';
import { read, refusalOf, sandboxNowMs, send, type ControlReply } from './server.js';
import { capital, shortTime, zoneLabel } from './format.js';

/** Carries it out and says how it ended. */
export async function carryOut(label: string, { call }: Deed): Promise<ControlReply> {
  const answer = await send(call);
  const refusal = refusalOf(answer);
  say(
    refusal === null ? await outcomeOf(label, call, answer) : { text: `${label}: ${refusal}`, isBad: true },
  );
  return answer;
}

async function outcomeOf(label: string, call: Call, { status, json }: ControlReply): Promise<Said> {
  const answer = (json ?? {}) as Partial<DeliveryJson> & {
    readonly attributed_to?: string | null;
    readonly delivery_id?: string;
  };
  if (answer.attributed_to !== undefined) return paymentOutcome(answer.attributed_to, call);
  const delivery = answer.delivery_id ?? (answer.event_id === undefined ? undefined : answer.id);
  if (delivery !== undefined) return deliveryOutcome(delivery, answer.attempts?.length ?? 0);
  const operation = operationIn(json);
  if (operation !== null)
    return { text: operationText(operation, sandboxNowMs()), href: hrefOf('operations', operation.id, {}) };
  const time = (iso: string): string =>
    `${shortTime(iso, zone.value)} ${zoneLabel(Date.parse(iso), zone.value)}`;
  return { text: wholeText(json, time) ?? `${label}: answered ${String(status)}` };
}

const NOBODY = 'No pay-in got this payment: amount, currency, method, bank and payer must all match.';

/** Which pay-in got the money, which need not be the one that was meant. */
async function paymentOutcome(to: string | null, { body = '{}' }: Call): Promise<Said> {
  const { for: meant = to } = JSON.parse(body) as { readonly for?: string };
  if (to === null || meant === null) return { text: NOBODY };
  const href = hrefOf('operations', to, {});
  const [paid, other] = [await read(operationPath(to)), await read(operationPath(meant))];
  if (paid === null) return { text: `Paid: ${to}`, href };
  const now = sandboxNowMs();
  const text = operationText(paid.operation, now);
  if (to === meant || other === null) return { text, href };
  const rest = `${nameOf(other.operation)} is still ${statusText(other.operation, now).toLowerCase()}`;
  return { text: `${text}. It is older and got the money. ${rest}`, href };
}

const LOOKS = 20;
const LOOK_MS = 100;

/** What the receiver answered, where that comes soon. @param before how many attempts there were */
async function deliveryOutcome(id: string, before: number): Promise<Said> {
  const href = hrefOf('webhooks', id, {});
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const found = await read(deliveryPath(id));
    if (found !== null && found.attempts.length > before) {
      const text = `${capital(found.result ?? found.status)} · ${found.type} · ${found.url}`;
      return { text, isBad: found.status !== 'delivered', href };
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return { text: 'Not answered yet', href };
}

interface DoProps {
  readonly label: string;
  readonly deed: Deed;
  readonly tone?: 'good' | 'bad' | undefined;
  /** What it is about, where the label alone does not say. */
  readonly about?: string | undefined;
  /** Asked before; null where nothing is. */
  readonly question?: string | null;
  /** Why it cannot be done, said instead. */
  readonly refused?: string | null;
  readonly onDone?: ((answer: ControlReply) => void) | undefined;
}

/** In a form, Enter presses it. */
export function Do({ label, deed, tone, about, question = null, refused = null, onDone }: DoProps) {
  const [isBusy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => () => keepFocus(button.current), []);
  const act = async (): Promise<void> => {
    if (isBusy) return;
    if (refused !== null) {
      say({ text: refused, isBad: true });
      return;
    }
    if (question !== null && !(await isMeant(label, question))) return;
    setBusy(true);
    const answer = await carryOut(label, deed);
    setBusy(false);
    if (refusalOf(answer) === null) onDone?.(answer);
  };
  return (
    <button
      ref={button}
      type="submit"
      class={`do ${tone ?? ''}`}
      aria-disabled={isBusy}
      aria-label={about === undefined ? undefined : `${label}: ${about}`}
      onClick={() => void act()}
    >
      {label}
    </button>
  );
}

/** A button that goes while it has the focus leaves it where it was: with the nearest part around it that stays. */
function keepFocus(button: HTMLElement | null): void {
  if (button === null || document.activeElement !== button) return;
  const around: HTMLElement[] = [];
  for (let at = button.parentElement; at !== null; at = at.parentElement)
    if (at.tabIndex >= -1 && at.hasAttribute('tabindex')) around.push(at);
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    around.find((element) => element.isConnected)?.focus({ preventScroll: true });
  });
}

/** Fields with a button: Enter in one of them presses it. */
export function EnterForm({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}) {
  return (
    <form class={name} noValidate onSubmit={(event) => event.preventDefault()}>
      {children}
    </form>
  );
}

const question = signal<{
  readonly label: string;
  readonly text: string;
  readonly answer: (isYes: boolean) => void;
} | null>(null);

function isMeant(label: string, text: string): Promise<boolean> {
  return new Promise((resolve) => (question.value = { label, text, answer: resolve }));
}

/** The question before what cannot be undone, one at a time. */
export function OpenQuestion() {
  const asked = question.value;
  const { view } = route.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const end = (isYes: boolean): void => {
    dialog.current?.close();
    question.value?.answer(isYes);
    question.value = null;
  };
  useEffect(() => {
    if (asked !== null) dialog.current?.showModal();
  }, [asked]);
  // Nobody answers for a view that is left.
  useEffect(() => () => end(false), [view]);
  if (asked === null) return null;
  return (
    <dialog ref={dialog} aria-labelledby="question" onCancel={() => end(false)}>
      <p id="question">{asked.text}</p>
      <div class="act">
        <button type="button" class="do" onClick={() => end(false)}>
          Cancel
        </button>
        <button type="button" class="do bad" onClick={() => end(true)}>
          {asked.label}
        </button>
      </div>
    </dialog>
  );
}

/** An action with what it asks for, what is true afterwards, and its lines. */
function ActionRow({ action }: { readonly action: Possibility }) {
  const { asked, label, effect, tone, question: before } = action;
  const [value, setValue] = useState(asked?.value ?? '');
  const deed = action.make(value);
  return (
    <li class="action">
      <EnterForm name="act">
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
        <Do label={label} about={action.about} deed={deed} tone={tone} question={before ?? null} />
      </EnterForm>
      <p>{typeof effect === 'string' ? effect : effect(value)}</p>
      <Lines deed={deed} />
    </li>
  );
}

export function Actions({ actions }: { readonly actions: readonly Possibility[] }) {
  return (
    <ul class="actions">
      {actions.map((action) => (
        <ActionRow key={`${action.label} ${action.about ?? ''}`} action={action} />
      ))}
    </ul>
  );
}
