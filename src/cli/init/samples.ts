/** Input files for the examples. */

/** Files by their paths: some that the example's condition accepts, and some that it does not. */
export const SAMPLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  words: {
    'in/short.txt': 'only a few words\n',
    'in/long.txt': Array.from({ length: 200 }, (_, index) => `word-${(index * 37) % 200}\n`).join(''),
  },
  images: {
    'photos/small.pgm': image(16, 16),
    'photos/large.pgm': image(96, 64),
  },
};

/** A grey image as text, with waves, so that its thumbnail can be recognized. */
function image(width: number, height: number): string {
  const rows = Array.from({ length: height }, (_row, y) =>
    Array.from({ length: width }, (_pixel, x) =>
      Math.round(127 + 120 * Math.sin(x / 9) * Math.cos(y / 7)),
    ).join(' '),
  );
  return `P2\n${width} ${height}\n255\n${rows.join('\n')}\n`;
}

/** The skeleton of a set, which the person then changes. */
export function skeleton(set: string): string {
  return `# millrace lint -f millrace.yaml checks this file; millrace apply -f millrace.yaml applies it to a service.
# The guide, docs/apply.md, has all fields; millrace init --example has two larger examples.
set: '${set}'
workspaces: {${set}-in: ./in, ${set}-out: ./out}
jobs:
  ${set}-first:
    run: 'sort "$FILE" >"$OUTPUT_DIR/sorted.txt"'
    in: {FILE: file}
    out: {SORTED: sorted.txt}
    into: ${set}-out
recipe:
  in: {FILE: file}
  first: {job: ${set}-first, FILE: in.FILE}
strike: {watch: ${set}-in, match: '*.txt', recipe: '${set}'}
`;
}
