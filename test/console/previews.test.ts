/** What a preview makes of bytes, and where a graph is drawn: pure parts of the console. */
import t from 'tap';
import { contentOf } from '../../src/console/file/preview/content-kind.ts';
import { indentedJson } from '../../src/console/file/preview/indented-json.ts';
import { connectedTo } from '../../src/console/flow/connected.ts';
import { roundedPath } from '../../src/console/graph/path.ts';
import { firstViewport } from '../../src/console/graph/viewport.ts';
import { png } from './file-world.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const kindOf = (bytes: Uint8Array, mediaType: string, fileName: string, isCut = false) =>
  contentOf(bytes, { mediaType, fileName }, isCut).kind;

t.test('previews: bytes decide between image and text, and the name decides the form of a text', (t) => {
  t.equal(kindOf(bytesOf(''), 'image/png', 'a.png'), 'empty');
  t.match(contentOf(png(2), { mediaType: 'text/html', fileName: 'a.html' }, false), {
    kind: 'image',
    mediaType: 'image/png',
  });
  t.equal(kindOf(bytesOf('RIFF....WEBPVP8 '), '', 'a'), 'image');
  t.equal(kindOf(bytesOf('RIFF....WAVE'), 'image/webp', 'a.webp'), 'text', 'whatever it is called');
  t.equal(kindOf(bytesOf('<svg onload="x()"/>'), 'image/svg+xml', 'a.svg'), 'text');
  t.equal(kindOf(bytesOf('<script>x()</script>'), 'text/html', 'a.html'), 'text');
  t.equal(kindOf(bytesOf('{"a":1}'), 'application/geo+json; charset=utf-8', 'a'), 'json');
  t.equal(kindOf(bytesOf('{"a":1'), 'application/json', 'a.json', true), 'text', 'a part of JSON is text');
  t.equal(kindOf(bytesOf('a\tb'), '', 'a.TSV'), 'table');
  t.equal(kindOf(Uint8Array.of(65, 0, 66), 'text/plain', 'a.txt'), 'binary');
  t.equal(kindOf(Uint8Array.of(65, 0xff, 66), 'text/plain', 'a.txt'), 'binary');
  t.end();
});

t.test('previews: a character that is cut at the end does not make text binary', (t) => {
  const bytes = bytesOf('né').subarray(0, 2);
  t.equal(kindOf(bytes, '', 'a.txt', true), 'text');
  t.equal(kindOf(bytes, '', 'a.txt', false), 'binary');
  t.end();
});

t.test('previews: JSON is indented, and its literals stay as they are', (t) => {
  t.equal(
    indentedJson('{"a":1e400,"b":[],"c":{},"d":[1.0,"x\\"{,"]}'),
    '{\n  "a": 1e400,\n  "b": [],\n  "c": {},\n  "d": [\n    1.0,\n    "x\\"{,"\n  ]\n}',
  );
  t.equal(indentedJson(' 12345678901234567890 '), '12345678901234567890');
  t.equal(indentedJson('"[ ]"'), '"[ ]"');
  t.equal(indentedJson('{"a":"{ }"}'), '{\n  "a": "{ }"\n}', 'strings stay as they are');
  t.equal(indentedJson('{"a":'), undefined);
  t.equal(indentedJson(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), undefined, 'too deep');
  const same = { list: [{ a: [[1], {}] }, 'é\\u0000', null, true] };
  t.strictSame(JSON.parse(indentedJson(JSON.stringify(same)) ?? ''), same);
  t.end();
});

t.test('graphs: a line is rounded at its corners, and not beyond the middle of a side', (t) => {
  t.equal(roundedPath([]), '');
  t.equal(
    roundedPath([
      { x: 0, y: 0 },
      { x: 9, y: 0 },
    ]),
    'M0 0L9 0',
  );
  const path = roundedPath([
    { x: 0, y: 0 },
    { x: 20, y: 0 },
    { x: 20, y: 4 },
    { x: 40, y: 4 },
  ]);
  t.equal(path, 'M0 0L14 0Q20 0 20 2L20 2Q20 4 26 4L40 4');
  t.end();
});

t.test('graphs: a graph that fits is centered; else the main node is shown without empty space', (t) => {
  const layout = (width: number) => ({ width, height: 100, nodes: new Map(), edges: new Map() });
  const frame = { width: 1_024, height: 400 };
  t.match(firstViewport(layout(500), frame, undefined), { zoom: 1, x: 262 });
  const at = (x: number) => firstViewport(layout(4_000), frame, { x, y: 0, width: 100, height: 50 });
  t.match(at(0), { zoom: 0.85, x: 12 }, 'the beginning');
  const { x } = at(2_000);
  t.equal(Math.round(x + 2_050 * 0.85), 512, 'in the middle');
  const end = at(3_900);
  t.ok(end.x + 4_000 * 0.85 >= 900, 'the end is at the edge');
  t.end();
});

t.test('flow: the nodes before and after a node are connected with it, also in a circle', (t) => {
  const edge = (from: string, to: string) => ({ from, to });
  const flow = {
    nodes: ['a', 'b', 'c', 'd', 'e'].map((key) => ({ key })),
    edges: [edge('a', 'b'), edge('b', 'c'), edge('c', 'b'), edge('d', 'c'), edge('a', 'e')],
  };
  t.strictSame([...(connectedTo(flow, 'b') ?? [])].sort(), ['a', 'b', 'c', 'd']);
  t.equal(connectedTo(flow, 'nowhere'), undefined);
  t.equal(connectedTo(flow, undefined), undefined);
  t.end();
});
