/**
 * Hosts that are network namespaces of this machine, each with an address of its own on a bridge: what partitions a
 * real network, without another machine. They share the file system. Root's alone.
 */
import { spawnSync } from 'node:child_process';
import type { Test } from 'tap';

const PREFIX = 'mr';

function ip(...args: string[]): { readonly ok: boolean; readonly text: string } {
  const done = spawnSync('ip', args, { encoding: 'utf8', timeout: 20_000 });
  return { ok: done.status === 0, text: `${done.stdout ?? ''}${done.stderr ?? ''}` };
}

function must(...args: string[]): void {
  const { ok, text } = ip(...args);
  if (!ok) throw new Error(`ip ${args.join(' ')}: ${text}`);
}

/** Whether namespaces and bridges can be made here. */
export function needsHosts(): { skip?: string } {
  if (process.getuid?.() !== 0) return { skip: 'network namespaces need root' };
  const name = `${PREFIX}${process.pid}probe`;
  const made = ip('netns', 'add', name);
  if (!made.ok) return { skip: `no network namespaces here: ${made.text.trim().slice(0, 200)}` };
  const bridge = ip('link', 'add', `${PREFIX}${process.pid}x`, 'type', 'bridge');
  ip('link', 'del', `${PREFIX}${process.pid}x`);
  ip('netns', 'del', name);
  return bridge.ok ? {} : { skip: `no bridges here: ${bridge.text.trim().slice(0, 200)}` };
}

export class Hosts {
  /** This machine's own address on the bridge: services listen here. */
  readonly gateway: string;
  readonly #bridge = `${PREFIX}${process.pid}b`;
  readonly #net: string;
  readonly #addresses = new Map<string, string>();
  readonly #cuts = new Set<string>();

  private constructor(net: string) {
    this.#net = net;
    this.gateway = `${net}.1`;
  }

  static create(t: Test, names: readonly string[]): Hosts {
    removeLeftOvers();
    const hosts = new Hosts(`10.${77 + (process.pid % 100)}.${Math.floor(process.pid / 100) % 250}`);
    t.teardown(() => hosts.#remove());
    must('link', 'add', hosts.#bridge, 'type', 'bridge');
    must('addr', 'add', `${hosts.gateway}/24`, 'dev', hosts.#bridge);
    must('link', 'set', hosts.#bridge, 'up');
    for (const [index, name] of names.entries()) hosts.#add(name, index);
    return hosts;
  }

  addressOf(name: string): string {
    return this.#addresses.get(name) ?? '';
  }

  /** What a command has to stand behind, to run on the host. */
  on(name: string): readonly string[] {
    // Not `ip netns exec`: that gives a /sys of its own too, without the control groups that tasks are put into.
    return ['nsenter', `--net=/run/netns/${this.#space(name)}`, '--'];
  }

  /** Nothing goes from one host to the other any more, in neither direction. */
  cut(a: string, b: string): void {
    this.#route('add', a, b);
    this.#route('add', b, a);
    this.#cuts.add(`${a} ${b}`);
  }

  heal(a: string, b: string): void {
    if (!this.#cuts.delete(`${a} ${b}`)) return;
    this.#route('del', a, b);
    this.#route('del', b, a);
  }

  healAll(): void {
    for (const cut of [...this.#cuts]) {
      const [a = '', b = ''] = cut.split(' ');
      this.heal(a, b);
    }
  }

  #add(name: string, index: number): void {
    const [space, outer] = [this.#space(name), `${PREFIX}${process.pid}v${index}`];
    must('netns', 'add', space);
    must('link', 'add', outer, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
    must('link', 'set', outer, 'master', this.#bridge, 'up');
    const address = `${this.#net}.${10 + index}`;
    must('-n', space, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
    must('-n', space, 'link', 'set', 'eth0', 'up');
    must('-n', space, 'link', 'set', 'lo', 'up');
    this.#addresses.set(name, address);
  }

  #route(what: 'add' | 'del', a: string, b: string): void {
    must('-n', this.#space(a), 'route', what, 'blackhole', `${this.addressOf(b)}/32`);
  }

  #space(name: string): string {
    return `${PREFIX}${process.pid}${name}`;
  }

  #remove(): void {
    for (const name of this.#addresses.keys()) ip('netns', 'del', this.#space(name));
    ip('link', 'del', this.#bridge);
  }
}

/** Removes what tests that were killed have left. */
function removeLeftOvers(): void {
  const names = `${ip('netns', 'list').text}\n${ip('-o', 'link', 'show', 'type', 'bridge').text}`;
  for (const [name, pid] of names.matchAll(new RegExp(`\\b${PREFIX}(\\d+)\\w+`, 'g'))) {
    if (isAlive(Number(pid))) continue;
    if (name.endsWith('b')) ip('link', 'del', name);
    else ip('netns', 'del', name);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
