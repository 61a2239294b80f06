/** Colours and emphasis that programs gave their text by control sequences, as class names of the console's styles. */
import { type Color, createAnsiSequenceParser, createColorPalette } from 'ansi-sequence-parser';
import { piecesOf } from './log-search.ts';

/** A part of a line that looks alike. */
export interface Segment {
  readonly text: string;
  /** '': plain. */
  readonly className: string;
  readonly isMatch: boolean;
}

const NAMED: Readonly<Record<string, string>> = {
  brightBlack: 'log-grey',
  red: 'log-red',
  brightRed: 'log-red',
  green: 'log-green',
  brightGreen: 'log-green',
  yellow: 'log-yellow',
  brightYellow: 'log-yellow',
  blue: 'log-blue',
  brightBlue: 'log-blue',
  magenta: 'log-magenta',
  brightMagenta: 'log-magenta',
  cyan: 'log-cyan',
  brightCyan: 'log-cyan',
};
/** Where the hues end, in degrees. */
const HUES = [
  [20, 'log-red'],
  [70, 'log-yellow'],
  [165, 'log-green'],
  [200, 'log-cyan'],
  [260, 'log-blue'],
  [330, 'log-magenta'],
  [360, 'log-red'],
] as const;
/** A colour whose parts differ less is a grey. */
const GREY = 30;
const palette = createColorPalette();

/**
 * The parts of a line: by what it looks like, and by what is found in it. `styled`: the line with its sequences;
 * undefined if it has none. Colours of text become the nearest that both themes show legibly; grounds are left out.
 */
export function segmentsOf(text: string, styled: string | undefined, search: string): readonly Segment[] {
  const looks = styled === undefined ? [{ value: text, className: '' }] : looksOf(styled);
  const pieces = piecesOf(text, search).map((value, place) => ({ value, isMatch: place % 2 === 1 }));
  const segments: Segment[] = [];
  let [look, piece, inLook, inPiece] = [0, 0, 0, 0];
  for (;;) {
    const [shown, found] = [looks[look], pieces[piece]];
    if (shown === undefined || found === undefined) return segments;
    const length = Math.min(shown.value.length - inLook, found.value.length - inPiece);
    if (length > 0) {
      const part = shown.value.slice(inLook, inLook + length);
      segments.push({ text: part, className: shown.className, isMatch: found.isMatch });
    }
    inLook += length;
    inPiece += length;
    if (inLook === shown.value.length) [look, inLook] = [look + 1, 0];
    if (inPiece === found.value.length) [piece, inPiece] = [piece + 1, 0];
  }
}

function looksOf(styled: string): readonly { readonly value: string; readonly className: string }[] {
  return createAnsiSequenceParser()
    .parse(styled)
    .map(({ value, foreground, decorations }) => {
      const emphasis = ['bold', 'dim', 'italic', 'underline', 'strikethrough'] as const;
      const names = emphasis.filter((one) => decorations.has(one)).map((one) => `log-${one}`);
      return {
        value,
        className: [foreground === null ? '' : classOf(foreground), ...names].join(' ').trim(),
      };
    });
}

function classOf(color: Color): string {
  if (color.type === 'named') return NAMED[color.name] ?? '';
  // An index that is in no table has no value.
  const value: string | undefined = palette.value(color);
  const parts = /^#(..)(..)(..)$/.exec(value ?? '')?.slice(1);
  if (parts === undefined) return '';
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16));
  return hueClass(red, green, blue);
}

function hueClass(red: number, green: number, blue: number): string {
  const most = Math.max(red, green, blue);
  const range = most - Math.min(red, green, blue);
  if (range < GREY) return most < 128 ? 'log-grey' : '';
  const sixth =
    most === red
      ? ((green - blue) / range + 6) % 6
      : most === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4;
  return HUES.find(([end]) => sixth * 60 <= end)?.[1] ?? '';
}
