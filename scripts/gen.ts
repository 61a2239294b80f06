/**
 * `npm run gen`: writes src/wire/generated from proto/ with buf and protoc-gen-es, offline.
 * `npm run gen:verify`: generates into a temporary folder and fails when the committed code differs.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const GENERATED = join('src', 'wire', 'generated');

function generate(out: string): void {
  const bin = join(ROOT, 'node_modules', '.bin');
  const template = {
    version: 'v2',
    clean: true,
    // Enums of TypeScript are no erasable syntax; the import suffix is that of our sources.
    plugins: [
      {
        local: join(bin, 'protoc-gen-es'),
        out,
        opt: ['target=ts', 'import_extension=ts', 'erasable_syntax=true'],
      },
    ],
  };
  const args = ['generate', 'proto', '--template', JSON.stringify(template)];
  const done = spawnSync(join(bin, 'buf'), args, { cwd: ROOT, encoding: 'utf8', timeout: 120_000 });
  if (done.status !== 0) throw new Error(`buf generate: ${done.error?.message ?? done.stderr}`);
}

/** Paths, relative to the generated folder, that are missing, left over or different. */
export function differences(committed: string, fresh: string): string[] {
  const list = (folder: string) => globSync('**/*.ts', { cwd: folder });
  return [...new Set([...list(committed), ...list(fresh)])]
    .filter((path) => read(join(committed, path)) !== read(join(fresh, path)))
    .sort();
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function verify(): void {
  const temporary = mkdtempSync(join(tmpdir(), 'millrace-gen-'));
  try {
    generate(temporary);
    const found = differences(join(ROOT, GENERATED), temporary);
    for (const path of found) process.stderr.write(`${join(GENERATED, path)} is not what proto/ says\n`);
    if (found.length > 0) {
      process.stderr.write('run `npm run gen` and commit what it writes\n');
      process.exitCode = 1;
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function write(): void {
  const temporary = mkdtempSync(join(tmpdir(), 'millrace-gen-'));
  try {
    // Generated aside first: a contract that does not compile leaves the old code in place.
    generate(temporary);
    rmSync(join(ROOT, GENERATED), { recursive: true, force: true });
    cpSync(temporary, join(ROOT, GENERATED), { recursive: true });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--verify')) verify();
  else write();
}
