import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client/index.ts'
import { useQuery } from '../../frame/filters.tsx'
import { useLoad } from '../../frame/load.ts'
import { Curl, Heading, Shown, Time } from '../../frame/parts.tsx'
import { Link, pathOf } from '../../frame/router.tsx'
import { api, type Standing } from '../../frame/session.ts'
import { type Column, Empty, PAGE_SIZE, Paging, Table } from '../../frame/table.tsx'
import { useTexts } from '../../texts/index.ts'
import { DaysLeft, Usable } from './certificate.tsx'
import { EXAMPLE as IACA_EXAMPLE } from './new-iaca.tsx'

type Iaca = Schemas['IacaOut']
type Signer = Schemas['DocumentSignerOut']

const SIGNERS = '/v1/credentials/mobile/document-signers'
const IACAS = '/v1/credentials/mobile/iacas'

const endOf = ({ certificateData: data }: Pick<Signer, 'certificateData'>) => data && <Time at={data.notAfter} />
const daysOf = ({ certificateData: data }: Pick<Signer, 'certificateData'>) =>
  data && <DaysLeft notAfter={data.notAfter} />

function Signers({ mayWrite }: { mayWrite: boolean }) {
  const { 'document-signers': texts, frame } = useTexts()
  const { page, turn } = useQuery(pathOf('document-signers'))
  const query = { limit: PAGE_SIZE, page }
  const loaded = useLoad(String(page), () => api.get(SIGNERS, { params: { query } }))
  const columns: Column<Signer>[] = [
    [
      texts.signer,
      ({ id, certificateData }) => (
        <Link href={pathOf('document-signers', id)}>{certificateData?.commonName ?? id}</Link>
      ),
    ],
    [texts.usability, ({ usability }) => <Usable usability={usability} />],
    [texts.left, daysOf],
    [texts.notAfter, endOf],
    [texts.renew, ({ renew, renewedById }) => (renewedById ? texts.renewed : renew ? frame.yes : frame.no)],
  ]
  return (
    <>
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={texts.noSigners} hint={texts.noSignersHint} mayCreate={mayWrite}>
              <Curl open method="POST" path={SIGNERS} body={{ active: true }} />
            </Empty>
          ) : (
            <>
              <Table label={texts.heading} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={texts.heading} page={page} pages={totalPages} total={totalCount} go={turn} />
            </>
          )
        }
      </Shown>
      <Curl path={`${SIGNERS}?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}

function Iacas({ mayWrite }: { mayWrite: boolean }) {
  const { 'document-signers': texts } = useTexts()
  const [page, setPage] = useState(1)
  const query = { limit: PAGE_SIZE, page }
  const loaded = useLoad(String(page), () => api.get(IACAS, { params: { query } }))
  const columns: Column<Iaca>[] = [
    [
      texts.iaca,
      ({ id, certificateData }) => (
        <Link href={pathOf('document-signers', 'iacas', id)}>{certificateData.commonName ?? id}</Link>
      ),
    ],
    [texts.usability, ({ usability }) => <Usable usability={usability} />],
    [texts.left, daysOf],
    [texts.notAfter, endOf],
    [texts.key, ({ managed }) => (managed ? texts.managed : texts.imported)],
  ]
  return (
    <>
      <Shown loaded={loaded}>
        {({ data, totalCount, totalPages }) =>
          totalCount === 0 ? (
            <Empty title={texts.noIacas} hint={texts.noIacasHint} mayCreate={mayWrite}>
              <Curl open method="POST" path={IACAS} body={IACA_EXAMPLE} />
            </Empty>
          ) : (
            <>
              <Table label={texts.iacas} columns={columns} rows={data} keyOf={({ id }) => id} />
              <Paging of={texts.iacas} page={page} pages={totalPages} total={totalCount} go={setPage} />
            </>
          )
        }
      </Shown>
      <Curl path={`${IACAS}?limit=${PAGE_SIZE}&page=${page}`} />
    </>
  )
}

/** Who signs mobile credentials, and the authorities that certify them. */
export function SignersPage({ standing }: { standing: Standing }) {
  const { 'document-signers': texts } = useTexts()
  const mayWrite = standing.scopes.has('mobile-credentials:write')
  return (
    <>
      <Heading title={texts.heading}>{texts.heading}</Heading>
      {mayWrite && (
        <div class="actions">
          <Link href={pathOf('document-signers', 'new')}>{texts.newSigner}</Link>
        </div>
      )}
      <Signers mayWrite={mayWrite} />
      <h2>{texts.iacas}</h2>
      {mayWrite && (
        <div class="actions">
          <Link href={pathOf('document-signers', 'iacas', 'new')}>{texts.newIaca}</Link>
        </div>
      )}
      <Iacas mayWrite={mayWrite} />
    </>
  )
}
