/** The rooms and what they import, drawn: layers from the programs above to `lib` below, so that arrows run down. */
import { cyclesOf, type Graph } from './graph.ts';
import { type Room, roomOf } from './law.ts';

const BOX = { width: 112, height: 30, gapX: 18, gapY: 46, margin: 20 } as const;
const NAMES: Partial<Record<Room, string>> = { root: 'main, cli', agent: 'node-agent' };

interface Box {
  readonly room: string;
  readonly layer: number;
  readonly x: number;
  readonly y: number;
}

/** Which rooms of the program import which, types included. */
export function roomGraph(graph: Graph): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const [path, targets] of graph) {
    const from = roomOf(path);
    if (from === 'outside') continue;
    const imports = rooms.get(from) ?? new Set<string>();
    rooms.set(from, imports);
    for (const target of targets) {
      const to = roomOf(target);
      if (to !== from && to !== 'outside') imports.add(to);
    }
  }
  return rooms;
}

/** An SVG. An arrow that follows from others is left out. Throws when rooms import each other in a circle. */
export function drawRooms(rooms: Graph): string {
  const circle = cyclesOf(rooms)[0];
  if (circle !== undefined) throw new Error(`rooms import each other: ${circle.join(' -> ')}`);
  const boxes = placed(rooms);
  const layers = [...boxes.values()].map(({ layer }) => layer);
  const perLayer = Math.max(...layers.map((layer) => layers.filter((each) => each === layer).length));
  const width = perLayer * (BOX.width + BOX.gapX) - BOX.gapX + 2 * BOX.margin;
  const height = (Math.max(...layers) + 1) * (BOX.height + BOX.gapY) - BOX.gapY + 2 * BOX.margin;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"` +
      ' font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="Which room imports which">',
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">' +
      '<path d="M0 0L8 4L0 8z" fill="#667"/></marker></defs>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...[...rooms].flatMap(([from, targets]) =>
      [...targets].filter((to) => !isImplied(rooms, from, to)).map((to) => arrow(boxes, from, to)),
    ),
    ...[...boxes.values()].map(boxSvg),
    '</svg>',
  ];
  return `${parts.join('\n')}\n`;
}

/** Whether another import of `from` leads to `to` as well. */
function isImplied(rooms: Graph, from: string, to: string): boolean {
  const seen = new Set([...(rooms.get(from) ?? [])].filter((room) => room !== to));
  for (const room of seen) for (const next of rooms.get(room) ?? []) seen.add(next);
  return seen.has(to);
}

/** A room stands one layer below the lowest room that imports it, ordered as those importers are. */
function placed(rooms: Graph): Map<string, Box> {
  const importers = (room: string): string[] =>
    [...rooms.keys()].filter((from) => rooms.get(from)?.has(room));
  const known = new Map<string, number>();
  const layerOf = (room: string): number => {
    const layer = known.get(room) ?? Math.max(-1, ...importers(room).map(layerOf)) + 1;
    known.set(room, layer);
    return layer;
  };
  const lowest = Math.max(...[...rooms.keys()].map(layerOf));
  const layers = Array.from({ length: lowest + 1 }, (_, layer) =>
    [...rooms.keys()].filter((room) => layerOf(room) === layer).sort(),
  );
  const widest = Math.max(...layers.map((layer) => layer.length));
  const boxes = new Map<string, Box>();
  const middle = (room: string): number => {
    const direct = importers(room).filter((from) => !isImplied(rooms, from, room));
    const places = direct.map((from) => boxes.get(from)?.x ?? 0);
    return places.reduce((sum, x) => sum + x, 0) / Math.max(1, places.length);
  };
  for (const [layer, names] of layers.entries()) {
    const left = ((widest - names.length) * (BOX.width + BOX.gapX)) / 2;
    const ordered = names.map((room) => ({ room, at: middle(room) })).sort((a, b) => a.at - b.at);
    for (const [index, { room }] of ordered.entries()) {
      const x = BOX.margin + left + index * (BOX.width + BOX.gapX);
      boxes.set(room, { room, layer, x, y: BOX.margin + layer * (BOX.height + BOX.gapY) });
    }
  }
  return boxes;
}

function arrow(boxes: ReadonlyMap<string, Box>, from: string, to: string): string {
  const [a, b] = [boxes.get(from), boxes.get(to)];
  if (a === undefined || b === undefined) return '';
  const [x1, y1] = [a.x + BOX.width / 2, a.y + BOX.height];
  const [x2, y2] = [b.x + BOX.width / 2, b.y - 1];
  const bend = (y2 - y1) / 2;
  const path = `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
  return `<path d="${path}" fill="none" stroke="#99a" marker-end="url(#tip)"/>`;
}

function boxSvg({ room, x, y }: Box): string {
  const name = NAMES[room as Room] ?? room;
  return (
    `<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="5" fill="#eef3fb" stroke="#447"/>` +
    `<text x="${x + BOX.width / 2}" y="${y + BOX.height / 2 + 5}" text-anchor="middle" fill="#112">${name}</text>`
  );
}
