import { signal } from '@preact/signals';
import type { ComponentChildren, RenderableProps } from 'preact';
import { useState } from 'preact/hooks';
import { curlLine, svcCommandLine, type PageCommand } from './call.js';
import { indentJson } from '../../contract/on-screen.js';
import { shortTime, ZONES, zoneLabel, type PageZone } from './format.js';
import type { Filters } from './filters.js';
import { filterInput, setFilters } from './route.js';
import { companies, origin, sandboxNowMs } from './server.js';
import { companyText, type CompanyJson } from './answers.js';

export interface PageMessage {
  readonly text: string;
  readonly isBad?: boolean;
  readonly href?: string;
}

export const lastMessage = signal<PageMessage | null>(null);

const ZONE_STORAGE_KEY = 'svc-sandbox-zone';

export const zone = signal<PageZone>(readStoredZone());

function readStoredZone(): PageZone {
  try {
    return ZONES.find((one) => one === localStorage.getItem(ZONE_STORAGE_KEY)) ?? 'local';
  } catch {
    return 'local';
  }
}

export function ZoneSwitch() {
  const options = [
    ['local', `Local, ${zoneLabel(Date.now(), 'local')}`],
    ['UTC', 'UTC'],
  ] as const;
  const set = (value: string): void => {
    zone.value = value === 'UTC' ? 'UTC' : 'local';
    try {
      localStorage.setItem(ZONE_STORAGE_KEY, zone.value);
    } catch {
      // Without storage the choice is lost when the page closes.
    }
  };
  return <Select hidesLabel label="Time zone" value={zone.value} options={options} set={set} />;
}

export type MarkTone = 'good' | 'bad' | 'waits' | 'none';

const SHAPE_OF_TONE: Readonly<Record<MarkTone, string>> = {
  good: 'M3 8.5l3.2 3.2L13 5',
  bad: 'M4 4l8 8M12 4l-8 8',
  waits: 'M8 3.5V8l3 2M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13',
  none: 'M4 8h8',
};

export const StateMark = ({ tone, children }: RenderableProps<{ readonly tone: MarkTone }>) => (
  <span class={`state ${tone}`}>
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPE_OF_TONE[tone]} />
    </svg>
    {children}
  </span>
);

export const FaultName = ({ fault }: { readonly fault: string | null | undefined }) =>
  typeof fault === 'string' && <span class="fault">fault: {fault}</span>;

const TONES: Readonly<Record<string, MarkTone>> = { confirmed: 'good', failed: 'bad', pending: 'waits' };

export const toneOf = (status: string): MarkTone => TONES[status] ?? 'none';

export function StatusMark({ status }: { readonly status: string }) {
  return <StateMark tone={toneOf(status)}>{status}</StateMark>;
}

export function HttpStatus({ status }: { readonly status: number | null }) {
  return <StateMark tone={status === null || status >= 400 ? 'bad' : 'good'}>{status ?? 'cut'}</StateMark>;
}

export const Time = ({ iso, showsZone = false }: { readonly iso: string; readonly showsZone?: boolean }) => (
  <time dateTime={iso} title={iso}>
    {showsZone ? zonedTime(iso) : shortTime(iso, zone.value)}
  </time>
);

export const zonedTime = (iso: string): string =>
  `${shortTime(iso, zone.value)} ${zoneLabel(Date.parse(iso), zone.value)}`;

const COPY_NOTICE_MS = 1500;

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly buttonText?: string;
}

export function CopyButton({ text, label, buttonText = 'Copy' }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      lastMessage.value = { text: `Copied: ${label}` };
      setTimeout(() => setCopied(false), COPY_NOTICE_MS);
    } catch {
      lastMessage.value = { text: 'This browser does not let the page copy.', isBad: true };
    }
  };
  return (
    <button type="button" class="copy" aria-label={`Copy ${label}`} onClick={() => void copy()}>
      {isCopied ? 'Copied' : buttonText}
    </button>
  );
}

export const Line = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div class="line">
    <span class="tag">{label}</span>
    <code tabIndex={0} role="textbox" aria-readonly="true" aria-label={`${label} line`}>
      {text}
    </code>
    <CopyButton text={text} label={`${label} line`} />
  </div>
);

export const CommandLines = ({ command }: { readonly command: PageCommand }) => (
  <>
    {command.words.length > 0 && <Line label="svc" text={svcCommandLine(origin, command)} />}
    <Line label="curl" text={curlLine(origin, command.call)} />
  </>
);

interface TerminalProps {
  readonly command: PageCommand;
  readonly isOpen?: boolean;
}

export const Terminal = ({ command, isOpen = false }: TerminalProps) => (
  <details class="lines" open={isOpen}>
    <summary>In a terminal</summary>
    <CommandLines command={command} />
  </details>
);

const TEXT_MAX = 100_000;

export function Text({ text, label }: { readonly text: string; readonly label: string }) {
  const visibleText = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}\n…` : indentJson(text);
  return (
    <div class="text">
      <pre tabIndex={0} role="region" aria-label={label}>
        {visibleText}
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}

interface CardProps {
  readonly id: string;
  readonly title: ComponentChildren;
}

export const Card = ({ id, title, children }: RenderableProps<CardProps>) => (
  <section class="card" aria-labelledby={id}>
    <h2 id={id} dir="auto">
      {title}
    </h2>
    {children}
  </section>
);

export const EmptyText = ({ children }: RenderableProps<object>) => <p class="empty">{children}</p>;

export const Fact = ({ name, children }: RenderableProps<{ readonly name: string }>) => (
  <div>
    <dt>{name}</dt>
    <dd dir="auto">{children}</dd>
  </div>
);

interface CopyableFactProps extends Pick<CopyButtonProps, 'text' | 'label'> {
  readonly name: string;
}

export const CopyableFact = ({ name, text, label, children }: RenderableProps<CopyableFactProps>) => (
  <Fact name={name}>
    <span class="copied">
      <code>{text}</code> <CopyButton text={text} label={label} />
    </span>
    {children}
  </Fact>
);

export interface InputProps<T = string> {
  readonly label: string;
  readonly value: T;
  readonly set: (value: T) => void;
}

interface SelectProps extends InputProps {
  readonly options: readonly (string | readonly [value: string, text: string])[];
  readonly hidesLabel?: boolean;
}

export function Select({ label, value, options, set, hidesLabel = false }: SelectProps) {
  const valueOf = (option: SelectProps['options'][number]): string =>
    typeof option === 'string' ? option : option[0];
  const select = (
    <select
      aria-label={hidesLabel ? label : undefined}
      value={options.some((option) => valueOf(option) === value) ? value : ''}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    >
      {options.map((option) => {
        const optionValue = valueOf(option);
        return (
          <option key={optionValue} value={optionValue}>
            {typeof option === 'string' ? option : option[1]}
          </option>
        );
      })}
    </select>
  );
  return hidesLabel ? (
    select
  ) : (
    <label>
      {label}
      {select}
    </label>
  );
}

interface FilterSelectProps extends Pick<SelectProps, 'label' | 'options'> {
  readonly name: 'status' | 'method' | 'company';
}

export const CompanyFilter = () =>
  companies.value.length > 1 && (
    <FilterSelect name="company" label="Company" options={companies.value.map(companyText)} />
  );

export const FilterSelect = ({ name, label, options }: FilterSelectProps) => (
  <Select hidesLabel label={label} options={[['', `any ${name}`], ...options]} {...filterInput(name)} />
);

interface TextInputProps extends InputProps {
  readonly inputMode?: 'decimal' | 'numeric';
  readonly type?: 'date' | 'text' | 'url';
  readonly placeholder?: string;
  readonly list?: string | undefined;
  readonly 'aria-invalid'?: boolean;
  readonly 'aria-describedby'?: string;
}

export const TextInput = ({ label, set, children, ...rest }: RenderableProps<TextInputProps>) => (
  <label>
    {label}
    <input {...rest} onInput={({ currentTarget }) => set(currentTarget.value)} />
    {children}
  </label>
);

interface CompanySelectProps extends Omit<InputProps<number>, 'label'> {
  readonly owners: readonly CompanyJson[];
}

export function CompanySelect({ owners, value, set }: CompanySelectProps) {
  const options = owners.map((company, index) => [String(index), companyText(company)] as const);
  return (
    <Select label="Company" value={String(value)} options={options} set={(index) => set(Number(index))} />
  );
}

export function Search({ what, hint }: { readonly what: string; readonly hint: string }) {
  const { value, set } = filterInput('search');
  return (
    <input
      type="search"
      placeholder={hint}
      aria-label={`Search by ${what}`}
      value={value}
      onInput={({ currentTarget }) => set(currentTarget.value.trim())}
    />
  );
}

export const Chips = ({ filters }: { readonly filters: Filters }) => (
  <>
    {filters.map(([name, value]) => (
      <button key={name} type="button" class="chip" onClick={() => setFilters({ [name]: '' })}>
        <span class="hidden">Remove the filter </span>
        <bdi>
          {name}: {value}
        </bdi>
        <span aria-hidden="true">×</span>
      </button>
    ))}
  </>
);

export function RunningClock({ showsYearAndZone = false }: { readonly showsYearAndZone?: boolean }) {
  const now = sandboxNowMs();
  if (now === null) return <time>…</time>;
  const iso = new Date(now).toISOString();
  return (
    <time dateTime={iso}>
      {shortTime(iso, zone.value)}
      {showsYearAndZone && ` ${iso.slice(0, 4)}, ${zoneLabel(now, zone.value)}`}
    </time>
  );
}
