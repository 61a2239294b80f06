/** Shows an image, unless it is too large for a page in bytes or pixels. */
import { useQuery } from '@tanstack/react-query';
import { imageSize } from 'image-size';
import { useEffect, useMemo, useState } from 'react';
import { bytes, count } from '../../format/amounts.ts';
import { Loaded } from '../../parts/states.tsx';
import { fileContent, type StoredFile } from '../queries.ts';
import type { ImageType } from './content-kind.ts';

const BYTES_MAX = 20_000_000;
const PIXELS_MAX = 50_000_000;

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Props {
  readonly file: StoredFile;
  readonly beginning: Uint8Array;
  readonly mediaType: ImageType;
}

export function ImagePreview({ file, beginning, mediaType }: Props) {
  const size = useMemo(() => sizeOf(beginning), [beginning]);
  const refusal = refusalOf(file.file_size, size);
  return (
    <>
      <div className="section-head">
        <h2>Content</h2>
        {size !== undefined && (
          <span className="soft number">
            {count(size.width)} × {count(size.height)} pixels
          </span>
        )}
      </div>
      {refusal === undefined ? (
        <Picture file={file} mediaType={mediaType} />
      ) : (
        <p className="soft">{refusal} Download it to see it.</p>
      )}
    </>
  );
}

/** Why an image is not shown. */
export function refusalOf(byteCount: number, size: Size | undefined): string | undefined {
  if (byteCount > BYTES_MAX) return `The image has ${bytes(byteCount)}; more than 20 MB are not shown.`;
  if (size === undefined) return 'The size of the image could not be read from its beginning.';
  if (size.width * size.height > PIXELS_MAX) {
    return `The image has ${count((size.width * size.height) / 1e6)} megapixels; more than 50 are not shown.`;
  }
  return undefined;
}

/** The size of an image from its first bytes. */
export function sizeOf(beginning: Uint8Array): Size | undefined {
  try {
    const { width, height } = imageSize(beginning);
    return { width, height };
  } catch {
    return undefined;
  }
}

function Picture({ file, mediaType }: Pick<Props, 'file' | 'mediaType'>) {
  const content = useQuery(fileContent(file, BYTES_MAX));
  return (
    <Loaded query={content}>
      {(whole) => <Pixels whole={whole} mediaType={mediaType} fileName={file.file_name} />}
    </Loaded>
  );
}

interface PixelsProps {
  readonly whole: Uint8Array;
  readonly mediaType: ImageType;
  readonly fileName: string;
}

/** The media type is set here, so that the browser treats the bytes only as an image. */
function Pixels({ whole, mediaType, fileName }: PixelsProps) {
  const [url, setUrl] = useState<string>();
  const [isBroken, setIsBroken] = useState(false);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([whole.slice()], { type: mediaType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [whole, mediaType]);
  if (isBroken) return <p className="soft">The image is damaged.</p>;
  if (url === undefined) return null;
  return <img className="picture" src={url} alt={fileName} onError={() => setIsBroken(true)} />;
}
