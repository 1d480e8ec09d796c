/** What every view is made of: states, times, choices, texts to copy, and what was said last. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState, useEffect } from 'preact/hooks';
import { curlLine, svcOf, type Deed } from './call.js';
import { indentJson } from '../../contract/on-screen.js';
import { shortTime, ZONES, zoneLabel, type ShownZone } from './format.js';
import { origin, clock, sandboxNowMs } from './server.js';
import type { CompanyJson } from './answers.js';

export interface Said {
  readonly text: string;
  readonly isBad?: boolean;
  /** Where what it is about is seen. */
  readonly href?: string;
}

/** What the last action came to. */
export const said = signal<Said | null>(null);

export function say(what: Said): void {
  said.value = what;
}

const ZONE_KEPT = 'svc-sandbox-zone';

/** Kept by the browser where it keeps anything. */
export const zone = signal<ShownZone>(keptZone());

function keptZone(): ShownZone {
  try {
    return ZONES.find((known) => known === localStorage.getItem(ZONE_KEPT)) ?? 'local';
  } catch {
    return 'local';
  }
}

/** Whose time the page shows. */
export function ZoneSwitch() {
  const options = [
    ['local', `Local, ${zoneLabel(Date.now(), 'local')}`],
    ['UTC', 'UTC'],
  ] as const;
  const set = (value: string): void => {
    zone.value = value === 'UTC' ? 'UTC' : 'local';
    try {
      localStorage.setItem(ZONE_KEPT, zone.value);
    } catch {
      // Then it is asked again next time.
    }
  };
  return <Select isBare label="Time zone" value={zone.value} options={options} set={set} />;
}

/** `Created, UTC+1`. */
export const ZonedTitle = ({ children }: { readonly children: string }) => (
  <>
    {children} <span class="sub">{zoneLabel(Date.now(), zone.value)}</span>
  </>
);

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

const TONES: Readonly<Record<string, MarkTone>> = { confirmed: 'good', failed: 'bad', pending: 'waits' };

export function toneOf(status: string): MarkTone {
  return TONES[status] ?? 'none';
}

export function StatusMark({ status }: { readonly status: string }) {
  return <StateMark tone={toneOf(status)}>{status}</StateMark>;
}

export function HttpStatus({ status }: { readonly status: number | null }) {
  return <StateMark tone={status === null || status >= 400 ? 'bad' : 'good'}>{status ?? 'cut'}</StateMark>;
}

/** @param isLabelled with its zone, where no heading says it */
export function Time({ iso, isLabelled = false }: { readonly iso: string; readonly isLabelled?: boolean }) {
  return (
    <time dateTime={iso} title={iso}>
      {shortTime(iso, zone.value)}
      {isLabelled && ` ${zoneLabel(Date.parse(iso), zone.value)}`}
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
      say({ text: `Copied: ${label}` });
      setTimeout(() => setCopied(false), COPIED_MS);
    } catch {
      say({ text: 'This browser does not let the page copy.', isBad: true });
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
  const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}\n…` : indentJson(text);
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

/** What somebody may want elsewhere: shown whole, with a button that copies it. */
export function Copied({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span class="copied">
      <code>{text}</code> <Copy text={text} label={label} />
    </span>
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
  readonly type?: 'date';
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
  return (
    <time dateTime={iso}>
      {shortTime(iso, zone.value)}
      {isWhole && ` ${iso.slice(0, 4)}, ${zoneLabel(now, zone.value)}`}
    </time>
  );
}
