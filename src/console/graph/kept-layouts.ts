/**
 * Layouts that the browser keeps after a page is closed: a graph that was seen before is drawn without its worker. A
 * browser that keeps nothing, as in some private windows, computes them again.
 */
import { clear, createStore, get, keys, set, type UseStore } from 'idb-keyval';
import type { Layout } from './shape.ts';

/** The shape is stored as well, because two shapes may have the same hash. */
interface Kept {
  readonly shape: string;
  readonly layout: Layout;
}

/** limit: stored layouts. Beyond it all are removed, so that layouts of changed graphs do not accumulate. */
const KEPT_MAX = 200;
let opened: UseStore | undefined;

function store(): UseStore {
  opened ??= createStore('millrace-layouts', 'layouts');
  return opened;
}

/** FNV-1a of the text's UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash;
}

export async function keptLayout(shape: string): Promise<Layout | undefined> {
  try {
    const kept = await get<Kept>(hashOf(shape), store());
    return kept?.shape === shape ? kept.layout : undefined;
  } catch {
    return undefined;
  }
}

export async function keepLayout(shape: string, layout: Layout): Promise<void> {
  try {
    if ((await keys(store())).length >= KEPT_MAX) await clear(store());
    await set(hashOf(shape), { shape, layout } satisfies Kept, store());
  } catch {
    // Not stored: it is computed again.
  }
}

/** Called at a logout, because shapes contain names of nodes. */
export async function forgetLayouts(): Promise<void> {
  try {
    await clear(store());
  } catch {
    // The browser stores none.
  }
}
