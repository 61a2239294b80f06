/** Medians, ranges and percentiles of some figures, and how figures are written. */

/** NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const above = sorted[sorted.length >> 1] ?? Number.NaN;
  return sorted.length % 2 === 1 ? above : (above + (sorted[(sorted.length >> 1) - 1] ?? above)) / 2;
}

/** `share` of 0.99 is p99. NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Each figure beside that of the same run: what both suffered from alike cancels out. */
export function ratios(ours: readonly number[], theirs: readonly number[]): number[] {
  const count = Math.min(ours.length, theirs.length);
  return Array.from({ length: count }, (_, run) => (ours[run] ?? Number.NaN) / (theirs[run] ?? Number.NaN));
}

/** Three digits that matter: 12,300; 45.6; 0.0789. */
export function written(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const digits = Math.floor(Math.log10(Math.abs(value)));
  const rounded = Number(value.toPrecision(3));
  return rounded.toLocaleString('en', { maximumFractionDigits: Math.max(0, Math.min(6, 2 - digits)) });
}

/** `12,300 (11,900–12,800)`; the range is left out of a single figure. */
export function writtenRange(values: readonly number[]): string {
  const middle = written(median(values));
  if (values.length < 2) return middle;
  return `${middle} (${written(Math.min(...values))}–${written(Math.max(...values))})`;
}
