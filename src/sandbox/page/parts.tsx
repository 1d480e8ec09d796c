/** What every view is made of: states, times, choices, texts to copy, and what was said last. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState, useEffect } from 'preact/hooks';
import { curlLine, svcOf, type Deed } from './call.js';
import { laidOut } from '../../contract/on-screen.js';
import { shortTime } from './format.js';
import { origin, clock, sandboxNowMs } from './server.js';
import type { CompanyJson } from './answers.js';

/** What the last action came to. */
export const said = signal<{ readonly text: string; readonly isBad: boolean; readonly at: number } | null>(
  null,
);

export function say(text: string, isBad = false): void {
  said.value = { text, isBad, at: Date.now() };
}

export type MarkTone = 'good' | 'bad' | 'waits' | 'none';

/** A shape for each, so that colour is not all that tells them apart. */
const SHAPES: Readonly<Record<MarkTone, string>> = {
  good: 'M3 8.5l3.2 3.2L13 5',
  bad: 'M4 4l8 8M12 4l-8 8',
  waits: 'M8 3.5V8l3 2M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13',
  none: 'M4 8h8',
};

export function StateMark({
  tone,
  children,
}: {
  readonly tone: MarkTone;
  readonly children: ComponentChildren;
}) {
  return (
    <span class={`state ${tone}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={SHAPES[tone]} />
      </svg>
      {children}
    </span>
  );
}

const TONES: Readonly<Record<string, MarkTone>> = {
  ...{ confirmed: 'good', delivered: 'good', failed: 'bad', exhausted: 'bad', pending: 'waits' },
};

export function StatusMark({ status }: { readonly status: string }) {
  return <StateMark tone={TONES[status] ?? 'none'}>{status}</StateMark>;
}

export function HttpStatus({ status }: { readonly status: number | null }) {
  const tone = status === null || status >= 500 ? 'bad' : status >= 400 ? 'waits' : 'good';
  return <StateMark tone={status !== null && status >= 400 ? 'bad' : tone}>{status ?? 'cut'}</StateMark>;
}

export function Time({ iso }: { readonly iso: string }) {
  return (
    <time dateTime={iso} title={iso}>
      {shortTime(iso)}
    </time>
  );
}

const COPIED_MS = 1500;

interface CopyProps {
  readonly text: string;
  /** What it is. */
  readonly label: string;
  /** What stands on the button. */
  readonly face?: string;
}

export function Copy({ text, label, face = 'Copy' }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      say(`${label}: copied.`);
      setTimeout(() => setCopied(false), COPIED_MS);
    } catch {
      say('This browser does not let the page copy.', true);
    }
  };
  return (
    <button type="button" class="copy" aria-label={`Copy ${label}`} onClick={() => void copy()}>
      {isCopied ? 'Copied' : face}
    </button>
  );
}

/** A text that is copied whole. */
export function Line({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div class="line">
      <span class="tag">{label}</span>
      <code tabIndex={0} role="textbox" aria-readonly="true" aria-label={`${label} line`}>
        {text}
      </code>
      <Copy text={text} label={`${label} line`} />
    </div>
  );
}

/** The two lines that do the same in a terminal. */
export function Lines({ deed, isOpen = false }: { readonly deed: Deed; readonly isOpen?: boolean }) {
  return (
    <details class="lines" open={isOpen}>
      <summary>In a terminal</summary>
      {deed.words.length > 0 && <Line label="svc" text={svcOf(origin, deed)} />}
      <Line label="curl" text={curlLine(origin, deed.call)} />
    </details>
  );
}

const SHOWN_MAX = 100_000;

export function Text({ text, label }: { readonly text: string; readonly label: string }) {
  const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}\n…` : laidOut(text);
  return (
    <div class="text">
      <pre tabIndex={0} role="region" aria-label={label}>
        {shown}
      </pre>
      <Copy text={text} label={label} />
    </div>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  /** Each its own text, or a value and the text that stands for it. */
  readonly options: readonly (string | readonly [value: string, text: string])[];
  readonly set: (value: string) => void;
  /** The label is said and not shown. */
  readonly isBare?: boolean;
}

export function Select({ label, value, options, set, isBare = false }: SelectProps) {
  const select = (
    <select
      aria-label={isBare ? label : undefined}
      value={value}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    >
      {options.map((option) => {
        const [chosen, text] = typeof option === 'string' ? [option, option] : option;
        return (
          <option key={chosen} value={chosen}>
            {text}
          </option>
        );
      })}
    </select>
  );
  return isBare ? (
    select
  ) : (
    <label>
      {label}
      {select}
    </label>
  );
}

interface WhoseProps {
  readonly companies: readonly Pick<CompanyJson, 'name' | 'environment'>[];
  /** Which of them. */
  readonly value: number;
  readonly set: (value: number) => void;
}

interface TextInputProps {
  readonly label: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly inputMode?: 'decimal' | 'numeric';
}

/** A line that somebody types. */
export function TextInput({ label, set, ...rest }: TextInputProps) {
  return (
    <label>
      {label}
      <input {...rest} onInput={({ currentTarget }) => set(currentTarget.value)} />
    </label>
  );
}

/** One of the companies. */
export function Whose({ companies, value, set }: WhoseProps) {
  const options = companies.map(
    ({ name, environment }, index) => [String(index), `${name}, ${environment}`] as const,
  );
  return (
    <Select label="Company" value={String(value)} options={options} set={(index) => set(Number(index))} />
  );
}

interface SearchProps {
  /** What it is searched by. */
  readonly by: string;
  readonly hint: string;
  readonly value: string;
  readonly set: (value: string) => void;
}

export function Search({ by, hint, value, set }: SearchProps) {
  return (
    <input
      type="search"
      placeholder={hint}
      aria-label={`Search by ${by}`}
      value={value}
      onInput={({ currentTarget }) => set(currentTarget.value.trim())}
    />
  );
}

export function Ticking({ isWhole = false }: { readonly isWhole?: boolean }) {
  const [, setCount] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setCount((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const now = clock.value === null ? null : sandboxNowMs();
  if (now === null) return <time>…</time>;
  const iso = new Date(now).toISOString();
  return <time dateTime={iso}>{isWhole ? `${shortTime(iso)} ${iso.slice(0, 4)}` : shortTime(iso)}</time>;
}
