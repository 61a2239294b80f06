import t from 'tap';
import { mediaTypeOf, UNKNOWN_MEDIA_TYPE } from '../../src/domain/media-type.ts';

t.test('media types: the extension of a name decides, whatever its case', async (t) => {
  const expected: Record<string, string> = {
    'a.json': 'application/json',
    'A.GeoJSON': 'application/vnd.geo+json',
    'a.h5': 'image/x-hdf5-image',
    'a.ntf': 'image/x-nitf-image',
    'a.NITF': 'image/x-nitf-image',
    'a.xml': 'application/xml',
    'dir.txt/b.tif': 'image/tiff',
    'a.tar.gz': 'application/x-tar',
    'a.tgz': 'application/x-tar',
    'a.json.gz': 'application/json',
    'a.txt': 'text/plain',
    'a.b.png': 'image/png',
  };
  for (const [name, type] of Object.entries(expected)) t.equal(mediaTypeOf(name), type, name);
});

t.test('media types: a name without a known extension has the unknown type', async (t) => {
  for (const name of [
    '',
    'a',
    'a.',
    'a.gz',
    '.tif',
    'a.constructor',
    'a.__proto__',
    'a.tif/',
    'a.unknown',
    'x.toString',
  ]) {
    t.equal(mediaTypeOf(name), UNKNOWN_MEDIA_TYPE, name);
  }
});
