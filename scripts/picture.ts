/**
 * `node scripts/picture.ts`: types the README's line in a pseudo terminal, and draws what the terminal then shows as
 * docs/watch.svg. Only the path of the temporary folder is replaced.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const ROOT = join(import.meta.dirname, '..');
const [COLUMNS, ROWS] = [94, 11];
const [CELL_WIDTH, CELL_HEIGHT, MARGIN] = [8.4, 19, 14];
const FONT = 'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14"';
const WITHIN_MS = 120_000;
const HOME = '/home/ann';
const [INK, PAPER] = ['#d4d4d4', '#1e1e1e'];
/** The colors of the palette that the program uses: red, green, yellow, grey. */
const COLORS: Readonly<Record<number, string>> = { 1: '#f48771', 2: '#89d185', 3: '#e2c08d', 8: '#8a8a8a' };
const TEXTS = {
  'notes.txt': 'sort me\nplease\n',
  'songs.txt': 'la\nla\nlei\n',
  'readme.md': 'not matched\n',
};
const LATER = { 'letter.txt': 'dear reader\n' };

const [, LINE = ''] =
  /^node bin\/(millrace\.js watch .*)$/m.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
const TYPED = LINE.replace('millrace.js', 'millrace');

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ann-'));
  try {
    mkdirSync(join(folder, 'in'));
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const program = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'bin/millrace.js')}' "$@"\n`;
    writeFileSync(join(bin, 'millrace'), program, { mode: 0o755 });
    for (const [name, text] of Object.entries(TEXTS)) writeFileSync(join(folder, 'in', name), text);
    const screen = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
    const shell = spawn('bash', ['--norc', '--noprofile'], {
      ...{ cols: COLUMNS, rows: ROWS, cwd: folder },
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder, TERM: 'xterm-256color', PS1: '$ ' },
    });
    shell.onData((data) => screen.write(data));
    const shows = async (what: RegExp) => {
      const endMs = performance.now() + WITHIN_MS;
      while (!what.test(textOf(screen))) {
        if (performance.now() > endMs)
          throw new Error(`the terminal never shows ${what}:\n${textOf(screen)}`);
        await sleep(100);
      }
    };
    await shows(/^\$ /);
    shell.write(`${TYPED}\r`);
    await shows(/2 done/);
    for (const [name, text] of Object.entries(LATER)) writeFileSync(join(folder, 'in', name), text);
    await shows(/3 done/);
    writeFileSync(join(ROOT, 'docs/watch.svg'), svgOf(screen, folder));
    shell.write('\u0003');
    await shows(/paused; the same line continues\s*\$ /);
    shell.kill();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Screen = InstanceType<typeof xterm.Terminal>;

interface Piece {
  readonly text: string;
  readonly color: string;
}

function rowsOf(screen: Screen): Piece[][] {
  const { active } = screen.buffer;
  return Array.from({ length: ROWS }, (_row, index) => {
    const line = active.getLine(active.viewportY + index);
    const pieces: Piece[] = [];
    for (let column = 0; column < COLUMNS; column += 1) {
      const cell = line?.getCell(column);
      if (cell === undefined) continue;
      const color = (cell.isFgPalette() ? COLORS[cell.getFgColor()] : undefined) ?? INK;
      const last = pieces.at(-1);
      const text = cell.getChars() || ' ';
      if (last?.color === color) pieces[pieces.length - 1] = { color, text: last.text + text };
      else pieces.push({ color, text });
    }
    return pieces;
  });
}

function textOf(screen: Screen): string {
  return rowsOf(screen)
    .map((pieces) => pieces.map(({ text }) => text).join(''))
    .join('');
}

function svgOf(screen: Screen, folder: string): string {
  const width = Math.round(COLUMNS * CELL_WIDTH + 2 * MARGIN);
  const rows = rowsOf(screen).map((pieces) =>
    pieces.map(({ text, color }) => ({ color, text: text.replaceAll(folder, HOME) })),
  );
  while (rows.at(-1)?.every(({ text }) => text.trim() === '') === true) rows.pop();
  const height = rows.length * CELL_HEIGHT + 2 * MARGIN;
  const lines = rows.map((pieces, index) => {
    const y = Math.round(MARGIN + (index + 0.75) * CELL_HEIGHT);
    const spans = pieces.map(({ text, color }) => `<tspan fill="${color}">${escaped(text)}</tspan>`).join('');
    return `<text x="${MARGIN}" y="${y}" xml:space="preserve">${spans.replace(/ +<\/tspan>$/, '</tspan>')}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ${FONT}>`,
    '<title>millrace watch in a terminal</title>',
    `<rect width="${width}" height="${height}" rx="8" fill="${PAPER}"/>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

await run();
