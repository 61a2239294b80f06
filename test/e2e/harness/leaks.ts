/** Where something that was planted has turned up: processes, files, tables. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../../src/store/database.ts';

/** The process itself, its parent, and so on, as far as they live. */
export function ancestorsOf(pid: number): readonly number[] {
  const line: number[] = [];
  for (let at = pid; at > 1; ) {
    line.push(at);
    try {
      at = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${at}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has ended meanwhile: nothing of it can be seen any more.
      return line;
    }
  }
  return line;
}

export function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // ended meanwhile
  }
}

/** Files below a folder that have the text in them, by content or by name. */
export function filesWith(folder: string, text: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      try {
        return path.includes(text) || readFileSync(path, 'latin1').includes(text);
      } catch {
        return false; // gone meanwhile
      }
    });
}

/** Tables with a row that has the text in it, as PostgreSQL would write the row out; bytes are looked into as well. */
export async function tablesWith({ sql }: Database, text: string): Promise<string[]> {
  const tables = await sql.execute<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE'`,
    [],
  );
  const hex = Buffer.from(text).toString('hex');
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await sql.execute<{ count: number }>(
      `select count(*) as count from "${name}" r
       where position($1::text in r::text) > 0 or position($2::text in r::text) > 0`,
      [text, hex],
    );
    if (row?.count !== 0) found.push(name);
  }
  return found;
}
