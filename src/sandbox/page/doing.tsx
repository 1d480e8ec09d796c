import { signal } from '@preact/signals';
import type { RenderableProps } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PageAction } from './actions.js';
import { deliveryPath, operationPath, type DeliveryJson } from './answers.js';
import type { Call, PageCommand } from './call.js';
import { CommandLines, Fact, lastMessage, Terminal, Select, zonedTime } from './parts.js';
import type { InputProps, PageMessage } from './parts.js';
import { hrefOf, route } from './route.js';
import { read, refusalOf, sandboxNowMs, send, type ControlReply } from './server.js';
import { capitalize, nameOf, operationIn, operationText, sandboxText, statusText } from './format.js';

export async function carryOut(label: string, { call }: PageCommand): Promise<ControlReply> {
  const answer = await send(call);
  const refusal = refusalOf(answer);
  lastMessage.value =
    refusal === null ? await outcomeOf(label, call, answer) : { text: `${label}: ${refusal}`, isBad: true };
  return answer;
}

async function outcomeOf(label: string, call: Call, { status, json }: ControlReply): Promise<PageMessage> {
  const answer = (json ?? {}) as Partial<DeliveryJson> & {
    readonly attributed_to?: string | null;
    readonly delivery_id?: string;
  };
  if (answer.attributed_to !== undefined) return paymentOutcome(answer.attributed_to, call);
  const deliveryId = answer.delivery_id ?? (answer.event_id === undefined ? undefined : answer.id);
  if (deliveryId !== undefined) return deliveryOutcome(deliveryId, answer.attempts?.length ?? 0);
  const operation = operationIn(json);
  if (operation !== null)
    return { text: operationText(operation, sandboxNowMs()), href: hrefOf('operations', operation.id, {}) };
  return { text: sandboxText(json, zonedTime) ?? `${label}: answered ${String(status)}` };
}

async function paymentOutcome(id: string | null, { body = '{}' }: Call): Promise<PageMessage> {
  const { for: chosenId = id } = JSON.parse(body) as { readonly for?: string };
  if (id === null || chosenId === null)
    return { text: 'No pay-in got this payment: amount, currency, method, bank and payer must all match.' };
  const href = hrefOf('operations', id, {});
  const [payee, chosenPayin] = [await read(operationPath(id)), await read(operationPath(chosenId))];
  if (payee === null) return { text: `Paid: ${id}`, href };
  const now = sandboxNowMs();
  const text = operationText(payee.operation, now);
  if (id === chosenId || chosenPayin === null) return { text, href };
  const chosenText = `${nameOf(chosenPayin.operation)} is still ${statusText(chosenPayin.operation, now).toLowerCase()}`;
  return { text: `${text}. It is older and got the money. ${chosenText}`, href };
}

const POLLS_MAX = 8;
const POLL_MS = 250;

async function deliveryOutcome(id: string, attemptsBefore: number): Promise<PageMessage> {
  const href = hrefOf('webhooks', id, {});
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const delivery = await read(deliveryPath(id));
    if (delivery !== null && delivery.attempts.length > attemptsBefore) {
      const text = `${capitalize(delivery.result ?? delivery.status)} · ${delivery.type} · ${delivery.url}`;
      return { text, isBad: delivery.status !== 'delivered', href };
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return { text: 'Not answered yet', href };
}

interface ButtonProps {
  readonly label: string;
  readonly command: PageCommand;
  readonly tone?: 'good' | 'bad' | undefined;
  readonly subject?: string | undefined;
  readonly question?: string | null;
  readonly refusal?: string | null;
  readonly onDone?: ((answer: ControlReply) => void) | undefined;
}

export function Button(props: ButtonProps) {
  const { label, command, tone, subject, question = null, refusal = null, onDone } = props;
  const [isBusy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => () => keepFocus(button.current), []);
  const act = async (): Promise<void> => {
    if (isBusy) return;
    if (refusal !== null) {
      lastMessage.value = { text: refusal, isBad: true };
      return;
    }
    if (question !== null && !(await askQuestion(label, question))) return;
    setBusy(true);
    const answer = await carryOut(label, command);
    setBusy(false);
    if (refusalOf(answer) === null) onDone?.(answer);
  };
  return (
    <button
      ref={button}
      type="submit"
      class={`do ${tone ?? ''}`}
      aria-disabled={isBusy}
      aria-label={subject === undefined ? undefined : `${label}: ${subject}`}
      onClick={() => void act()}
    >
      {label}
    </button>
  );
}

export const ButtonWithCommand = (props: ButtonProps) => (
  <div class="again">
    <Button {...props} />
    <Terminal command={props.command} />
  </div>
);

function keepFocus(button: HTMLElement | null): void {
  if (button === null || document.activeElement !== button) return;
  const ancestors: HTMLElement[] = [];
  for (let node = button.parentElement; node !== null; node = node.parentElement)
    if (node.tabIndex >= -1 && node.hasAttribute('tabindex')) ancestors.push(node);
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    ancestors.find((element) => element.isConnected)?.focus({ preventScroll: true });
  });
}

export const EnterForm = ({ className, children }: RenderableProps<{ readonly className: string }>) => (
  <form class={className} noValidate onSubmit={(event) => event.preventDefault()}>
    {children}
  </form>
);

const question = signal<{
  readonly label: string;
  readonly text: string;
  readonly answer: (isYes: boolean) => void;
} | null>(null);

export const askQuestion = (label: string, text: string): Promise<boolean> =>
  new Promise((resolve) => (question.value = { label, text, answer: resolve }));

export function QuestionDialog() {
  const openQuestion = question.value;
  const { view } = route.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const end = (isYes: boolean): void => {
    dialog.current?.close();
    question.value?.answer(isYes);
    question.value = null;
  };
  useEffect(() => {
    if (openQuestion !== null) dialog.current?.showModal();
  }, [openQuestion]);
  // Leaving the view cancels the question.
  useEffect(() => () => end(false), [view]);
  if (openQuestion === null) return null;
  return (
    <dialog ref={dialog} aria-labelledby="question" onCancel={() => end(false)}>
      <p id="question">{openQuestion.text}</p>
      <div class="act">
        <button type="button" class="do" onClick={() => end(false)}>
          Cancel
        </button>
        <button type="button" class="do bad" onClick={() => end(true)}>
          {openQuestion.label}
        </button>
      </div>
    </dialog>
  );
}

interface ActionInputProps extends Omit<InputProps, 'label'> {
  readonly action: PageAction;
}

function ActionInput({ action, value, set }: ActionInputProps) {
  const { input, label, subject, tone, make } = action;
  return (
    <EnterForm className="act">
      {input?.options !== undefined && (
        <Select hidesLabel label={input.label} value={value} options={input.options} set={set} />
      )}
      {input !== undefined && input.options === undefined && (
        <input
          aria-label={input.label}
          value={value}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
      <Button label={label} subject={subject} command={make(value)} tone={tone} />
    </EnterForm>
  );
}

const effectText = ({ effect }: PageAction, value: string): string =>
  typeof effect === 'string' ? effect : effect(value);

function ActionRow({ action }: { readonly action: PageAction }) {
  const [value, setValue] = useState(action.input?.value ?? '');
  return (
    <li class="action">
      <ActionInput action={action} value={value} set={setValue} />
      <p>{effectText(action, value)}</p>
      <Terminal command={action.make(value)} />
    </li>
  );
}

const nameOfAction = ({ label, subject }: PageAction): string =>
  subject === undefined ? label : `${label}: ${subject}`;

export function ActionBar({ actions }: { readonly actions: readonly PageAction[] }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const valueOf = (action: PageAction): string => values[nameOfAction(action)] ?? action.input?.value ?? '';
  return (
    <>
      <div class="act">
        {actions.map((action) => (
          <ActionInput
            key={nameOfAction(action)}
            action={action}
            value={valueOf(action)}
            set={(value) => setValues({ ...values, [nameOfAction(action)]: value })}
          />
        ))}
      </div>
      <dl class="facts effects">
        {actions.map((action) => (
          <Fact key={nameOfAction(action)} name={nameOfAction(action)}>
            {effectText(action, valueOf(action))}
          </Fact>
        ))}
      </dl>
      <details class="lines">
        <summary>In a terminal</summary>
        {actions.map((action) => (
          <div key={nameOfAction(action)}>
            <p class="note">{nameOfAction(action)}</p>
            <CommandLines command={action.make(valueOf(action))} />
          </div>
        ))}
      </details>
    </>
  );
}

export const Actions = ({ actions }: { readonly actions: readonly PageAction[] }) => (
  <ul class="actions">
    {actions.map((action) => (
      <ActionRow key={`${action.label} ${action.subject ?? ''}`} action={action} />
    ))}
  </ul>
);
