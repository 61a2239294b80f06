/** One file: its content, its lineage, and its removal. */
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../account.ts';
import { fileTypeWord } from '../files/file-columns.tsx';
import { bytes } from '../format/amounts.ts';
import { Instant } from '../parts/instants.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { FileFacts, MetaData, Origin } from './facts.tsx';
import { Lineage } from './lineage.tsx';
import type { LineageSearch } from './lineage-search.ts';
import { Preview } from './preview/preview.tsx';
import { PurgeDialog } from './purge-dialog.tsx';
import { fileDetails, fileLineage, purgeOfFile, type StoredFile } from './queries.ts';
import { Receipt } from './receipt.tsx';

interface Props {
  readonly id: number;
  readonly search: LineageSearch;
}

export function FilePage(props: Props) {
  const [isLoaded] = useState(isLoadedHere);
  return <div className="page">{isLoaded ? <FileOfAddress {...props} /> : <FileOrNone {...props} />}</div>;
}

/** The document was loaded from this address. Else a link of the console, which knew the file, has led here. */
function isLoadedHere(): boolean {
  const [loaded] = performance.getEntriesByType('navigation');
  return loaded !== undefined && new URL(loaded.name).pathname === location.pathname;
}

/** A file that has been purged is not asked for. */
function FileOfAddress(props: Props) {
  return (
    <Loaded query={useQuery(purgeOfFile(props.id))}>
      {(purge) => (purge?.status === 'COMPLETED' ? <NoFile id={props.id} /> : <FileOrNone {...props} />)}
    </Loaded>
  );
}

function FileOrNone({ id, search }: Props) {
  // The lineage is read at the same time as the file.
  usePrefetchQuery(fileLineage(id, search));
  return (
    <Loaded query={useQuery(fileDetails(id))}>
      {(found) => (found === null ? <NoFile id={id} /> : <FileView file={found} search={search} />)}
    </Loaded>
  );
}

function Crumb() {
  return (
    <>
      <Link to="/console/files/" className="crumb">
        Files
      </Link>{' '}
      <span aria-hidden="true" className="soft">
        /
      </span>{' '}
    </>
  );
}

/** A purged file does not exist any more. The receipt of its purge stays, also for products. */
function NoFile({ id }: { readonly id: number }) {
  const purge = useQuery(purgeOfFile(id));
  return (
    <>
      <div className="page-head">
        <h1>
          <Crumb />
          <span className="number">{id}</span>
        </h1>
      </div>
      <Loaded query={purge}>
        {(found) =>
          found === null ? (
            <Empty title={`There is no file ${id}`}>
              It never was, or what it was made of has been purged.
            </Empty>
          ) : (
            <>
              {found.file_id !== id && (
                <p className="note">
                  This product was removed with the source that it was made of, {found.file_name}
                  {found.completed !== null && (
                    <>
                      , <Instant at={found.completed} />
                    </>
                  )}
                  .
                </p>
              )}
              <Receipt purge={found} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

interface ViewProps {
  readonly file: StoredFile;
  readonly search: LineageSearch;
}

function FileView({ file, search }: ViewProps) {
  const [isPurging, setIsPurging] = useState(false);
  const { mayWrite } = useAccount();
  const { id, file_name, file_type, file_size, is_deleted, is_superseded } = file;
  const purge = useQuery({ ...purgeOfFile(id), enabled: file_type === 'SOURCE' });
  const mayPurge = mayWrite && file_type === 'SOURCE' && purge.data === null;
  return (
    <>
      <div className="page-head">
        <h1 className="foreign">
          <Crumb />
          {file_name}
        </h1>
        <span className="soft">
          {fileTypeWord(file_type)}, <span className="number">{bytes(file_size)}</span>
        </span>
        {is_superseded && <span className="status wait">Superseded</span>}
        {is_deleted && <span className="status bad">Deleted</span>}
        <div className="page-actions">
          {!is_deleted && (
            <a className="button" href={`/v6/files/${id}/content/`} download={file_name}>
              Download
            </a>
          )}
          {mayPurge && (
            <button type="button" onClick={() => setIsPurging(true)}>
              Purge…
            </button>
          )}
        </div>
      </div>
      {purge.data !== undefined && purge.data !== null && <Receipt purge={purge.data} />}
      <Preview file={file} />
      <Lineage key={id} fileId={id} search={search} />
      <div className="columns">
        <FileFacts file={file} />
        <Origin file={file} />
      </div>
      <MetaData file={file} />
      <PurgeDialog file={file} isOpen={isPurging} close={() => setIsPurging(false)} />
    </>
  );
}
