/** Shows a file's first bytes as text, JSON, a table or an image. SVG and HTML are shown as text. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bytes } from '../../format/amounts.ts';
import { Loaded } from '../../parts/states.tsx';
import { fileContent, PREVIEW_BYTES, type StoredFile } from '../queries.ts';
import { type Content, contentOf } from './content-kind.ts';
import { ImagePreview } from './image.tsx';
import { indentedJson } from './indented-json.ts';
import { TablePreview } from './table.tsx';

export function Preview({ file }: { readonly file: StoredFile }) {
  return (
    <section aria-label="Content" className="preview">
      {file.is_deleted ? (
        <Nothing text="Its bytes were removed from the workspace." />
      ) : (
        <Beginning file={file} />
      )}
    </section>
  );
}

function Nothing({ text }: { readonly text: string }) {
  return (
    <>
      <h2>Content</h2>
      <p className="soft">{text}</p>
    </>
  );
}

function Beginning({ file }: { readonly file: StoredFile }) {
  const isEmpty = file.file_size === 0;
  const content = useQuery({ ...fileContent(file, PREVIEW_BYTES), enabled: !isEmpty });
  if (isEmpty) return <Nothing text="The file is empty." />;
  const isCut = file.file_size > PREVIEW_BYTES;
  const { media_type: mediaType, file_name: fileName } = file;
  return (
    <Loaded query={content}>
      {(found) => (
        <Shown
          file={file}
          beginning={found}
          content={contentOf(found, { mediaType, fileName }, isCut)}
          isCut={isCut}
        />
      )}
    </Loaded>
  );
}

interface ShownProps {
  readonly file: StoredFile;
  readonly beginning: Uint8Array;
  readonly content: Content;
  readonly isCut: boolean;
}

function Shown({ file, beginning, content, isCut }: ShownProps) {
  const [isPlain, setIsPlain] = useState(false);
  switch (content.kind) {
    case 'empty':
      return <Nothing text="The file is empty." />;
    case 'binary':
      return <Nothing text="This file is neither text nor a supported image. Download it to see it." />;
    case 'image':
      return <ImagePreview file={file} beginning={beginning} mediaType={content.mediaType} />;
  }
  const json = content.kind === 'json' ? indentedJson(content.text) : undefined;
  const hasForms = content.kind === 'table' || json !== undefined;
  return (
    <>
      <div className="section-head">
        <h2>Content</h2>
        {hasForms && (
          <div className="segments" role="group" aria-label="Shown as">
            <button type="button" aria-pressed={!isPlain} onClick={() => setIsPlain(false)}>
              {content.kind === 'table' ? 'Table' : 'Indented'}
            </button>
            <button type="button" aria-pressed={isPlain} onClick={() => setIsPlain(true)}>
              As it is
            </button>
          </div>
        )}
        {isCut && (
          <span className="soft">
            the first {bytes(PREVIEW_BYTES)} of {bytes(file.file_size)}
          </span>
        )}
      </div>
      {content.kind === 'table' && !isPlain ? (
        <TablePreview text={content.text} isCut={isCut} />
      ) : (
        <pre className="content" tabIndex={0}>
          {isPlain ? content.text : (json ?? content.text)}
        </pre>
      )}
    </>
  );
}
