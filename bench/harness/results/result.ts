/** What a bench has found: data, from which its page, its plots and the index are written. */

/** One run of one subject. */
export interface Sample {
  /** In the unit of its table. */
  readonly value: number;
  /** Things done (jobs, files, messages), which costs are divided by. */
  readonly count: number;
  /** Processor seconds, by who used them. */
  readonly cpu?: Readonly<Record<string, number>>;
  /** Bytes that PostgreSQL wrote to its log ahead. */
  readonly walBytes?: number;
}

export interface Row {
  readonly name: string;
  readonly isPeer: boolean;
  readonly samples: readonly Sample[];
  /** Why there are no samples. */
  readonly missing?: string;
  /** What one side does and the other doesn't. */
  readonly remark?: string;
}

/** Subjects measured in turn, in the same runs. Ratios are those of the first row to each. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly title: string;
  readonly unit: string;
  /** What costs are of: `job`, `file`. */
  readonly each: string;
  readonly rows: readonly Row[];
}

/** Figures of other shapes: the first column names the row. */
export interface Figures {
  readonly kind: 'figures';
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** Points of lines; drawn, not printed. */
export interface Lines {
  readonly kind: 'lines';
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly isLogarithmic: boolean;
  readonly points: readonly { readonly line: string; readonly x: number; readonly y: number }[];
}

export interface Aim {
  readonly text: string;
  /** NaN: could not be measured. */
  readonly measured: number;
  readonly wanted: number;
  /** `least`: `measured` should be `wanted` or more. */
  readonly bound: 'least' | 'most';
  readonly unit: string;
}

export type Part = Comparison | Figures | Lines;

export interface Result {
  readonly name: string;
  /** What the bench says of itself. */
  readonly about: string;
  readonly command: string;
  /** ISO, to the minute. */
  readonly date: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly parts: readonly Part[];
  readonly aims: readonly Aim[];
  readonly notes: readonly string[];
}

export function isMet({ measured, wanted, bound }: Aim): boolean {
  return bound === 'least' ? measured >= wanted : measured <= wanted;
}

/** The fact that the index shows beside each result. */
export const LOAD_FACT = 'load before (1, 5, 15 min)';
