/** How a preview shows a content. The first bytes decide; for text, the name and media type choose the form. */

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

export type Content =
  | { readonly kind: 'empty' }
  | { readonly kind: 'image'; readonly mediaType: ImageType }
  | { readonly kind: 'text' | 'json' | 'table'; readonly text: string }
  | { readonly kind: 'binary' };

interface Named {
  readonly mediaType: string;
  readonly fileName: string;
}

/** `isCut`: the content continues after `bytes`. */
export function contentOf(bytes: Uint8Array, { mediaType, fileName }: Named, isCut: boolean): Content {
  if (bytes.byteLength === 0) return { kind: 'empty' };
  const image = imageType(bytes);
  if (image !== undefined) return { kind: 'image', mediaType: image };
  const text = textOf(bytes, isCut);
  if (text === undefined) return { kind: 'binary' };
  const extension = /\.([a-z0-9]+)$/i.exec(fileName)?.[1]?.toLowerCase();
  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (
    type === 'text/csv' ||
    type === 'text/tab-separated-values' ||
    extension === 'csv' ||
    extension === 'tsv'
  ) {
    return { kind: 'table', text };
  }
  const isJson = /[/+]json$/.test(type) || extension === 'json' || extension === 'geojson';
  return { kind: isJson && !isCut ? 'json' : 'text', text };
}

const SIGNATURES: readonly (readonly [ImageType, readonly (readonly [at: number, text: string])[]])[] = [
  ['image/png', [[0, '\u0089PNG\r\n\u001a\n']]],
  ['image/jpeg', [[0, '\u00ff\u00d8\u00ff']]],
  ['image/gif', [[0, 'GIF8']]],
  [
    'image/webp',
    [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  ],
];

function imageType(bytes: Uint8Array): ImageType | undefined {
  const found = SIGNATURES.find(([, parts]) =>
    parts.every(([at, text]) =>
      [...text].every((letter, index) => bytes[at + index] === letter.charCodeAt(0)),
    ),
  );
  return found?.[0];
}

/** Undefined: the bytes are not UTF-8 text. An incomplete character at the end is left out. */
function textOf(bytes: Uint8Array, isCut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}
