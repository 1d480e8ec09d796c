/** What somebody chooses from or searches by. */
import type { CompanyJson } from './types.js';

export interface SelectProps {
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

export interface WhoseProps {
  readonly companies: readonly Pick<CompanyJson, 'name' | 'environment'>[];
  /** Which of them. */
  readonly value: number;
  readonly set: (value: number) => void;
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

export interface SearchProps {
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
