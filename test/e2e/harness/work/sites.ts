/** Hosts that have different directories under one path: programs in mount namespaces of their own. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Becomes its further arguments, where the first directory lies at the place of the second. */
const SCRIPT = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';

/** How a test that asks for sites is run: skipped, with the reason, where there can be none. */
export function needsSites(): { readonly skip: string | false } {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-sites-'));
  try {
    const [program = '', ...args] = new Site(folder, 'probe').within;
    const options = { encoding: 'utf8', timeout: 10_000 } as const;
    const { status, error, stderr } = spawnSync(program, [...args, 'true'], options);
    return { skip: status === 0 ? false : `no mount namespaces: ${error?.message ?? stderr.trim()}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export class Site {
  /** Where every site has its directories, as workspaces name it. */
  readonly shared: string;
  /** Where this one's are in truth. */
  readonly own: string;

  constructor(folder: string, name: string) {
    this.shared = join(folder, 'data');
    this.own = join(folder, `site-${name}`);
    mkdirSync(this.shared, { recursive: true });
    mkdirSync(this.own, { recursive: true });
  }

  /** What a program is started within to be on this site. */
  get within(): readonly string[] {
    return ['unshare', '--mount', 'sh', '-c', SCRIPT, 'site', this.own, this.shared];
  }

  /** A directory of this site; as workspaces name it. */
  directory(name: string): string {
    mkdirSync(join(this.own, name));
    return join(this.shared, name);
  }
}
