/**
 * Where results are kept: `<name>.md` with its plots for people, `data/<name>.json` for the index, which is written
 * again from all of them.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from './result.ts';
import { indexOf, pageOf, plotName } from './result-page.ts';
import { plotOf } from './result-plot.ts';

/** The result with the parts and aims that are kept of the runs before and that this one has not measured again. */
export function addedTo(folder: string, result: Result): Result {
  const path = join(folder, 'data', `${result.name}.json`);
  if (!existsSync(path)) return result;
  const before = JSON.parse(readFileSync(path, 'utf8')) as Result;
  const titles = new Set(result.parts.map(({ title }) => title));
  // A part and its aims are called alike up to the colon.
  const measured = new Set([...titles].map((title) => title.split(':')[0]));
  const texts = new Set(result.aims.map(({ text }) => text));
  const aims = before.aims.filter(({ text }) => !measured.has(text.split(':')[0]) && !texts.has(text));
  const parts = before.parts.filter(({ title }) => !titles.has(title));
  // Notes about the same thing differ in their figures.
  const noted = new Set(result.notes.map(subjectOf));
  const notes = [...before.notes.filter((note) => !noted.has(subjectOf(note))), ...result.notes];
  return { ...result, parts: [...parts, ...result.parts], aims: [...aims, ...result.aims], notes };
}

function subjectOf(note: string): string {
  return note.split(/\d/)[0] ?? '';
}

export async function keepResult(folder: string, result: Result): Promise<void> {
  mkdirSync(join(folder, 'data'), { recursive: true });
  for (const old of globSync(`${result.name}-[0-9]*.svg`, { cwd: folder })) rmSync(join(folder, old));
  const drawn = new Set<number>();
  for (const [at, part] of result.parts.entries()) {
    const plot = await plotOf(part);
    if (plot === undefined) continue;
    drawn.add(at);
    writeFileSync(join(folder, plotName(result, at)), `${plot}\n`);
  }
  writeFileSync(join(folder, `${result.name}.md`), pageOf(result, drawn));
  // What could not be measured is null here: JSON has no NaN.
  writeFileSync(join(folder, 'data', `${result.name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), indexOf(kept(folder)));
}

function kept(folder: string): Result[] {
  return globSync('data/*.json', { cwd: folder })
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Result)
    .map((result) => ({
      ...result,
      aims: result.aims.map((aim) => ({ ...aim, measured: aim.measured ?? Number.NaN })),
    }));
}
