// The sources of a credential's timeline as one statement, so that pages are cut from all of them together. Each branch
// reads an index of the credential, of its batch, or of its status list.

/** Values: the credential's id, the time now. */
const CREDENTIAL = `with c as (
  select c.id, c.created_at, c.batch_id, c.batch_row, c.template_id, c.template_version, c.expiration_date, c.status_list_id,
    c.status_index, c.suspension_list_id, c.suspension_index, coalesce((select d.did from dids d where d.id = c.did_id), c.document_signer_id::text) as issuer
  from credentials c where c.id = ?
)`

/** Entries of the log about an object: one condition for each place, because each has an index. */
const about = (id: string): string =>
  `(${[1, 2, 3, 4].map((place) => `(l.object_ids[${place}] is not null and l.object_ids[${place}] = ${id})`).join(' or ')})`

const BATCH = `select l.timestamp as at, 1 as rank, l.id::text as ref, l.type, l.type as entry, l.request_id,
  l.metadata->>'clientId' as client_id, json_build_object('batch_id', c.batch_id) as details
from c join logs l on ${about('c.batch_id')}
where c.batch_id is not null and l.type ~ '_BATCH_(CREATE|PAUSE|RESUME|CANCEL|COMPLETE)_SUCCESS$'`

const ISSUED = `select c.created_at, 2, '', 'credential.issued', coalesce(s.type, b.type), coalesce(s.request_id, b.request_id),
  coalesce(s.metadata->>'clientId', b.client_id::text),
  json_build_object('template_id', c.template_id, 'template_version', c.template_version, 'batch_id', c.batch_id,
    'batch_row', c.batch_row, 'session_id', s.metadata->>'sessionId', 'event_id', s.metadata->>'eventId')
from c
  left join lateral (select l.type, l.request_id, l.metadata from logs l
    where l.object_ids[1] is not null and l.object_ids[1] = c.id and l.type like '%\\_SIGN\\_SUCCESS' limit 1) s on c.batch_id is null
  left join lateral (select l.type, k.request_id, k.client_id from credential_batches k left join logs l
    on l.object_ids[1] is not null and l.object_ids[1] = k.id and l.type like '%\\_BATCH\\_CREATE\\_SUCCESS'
    where k.id = c.batch_id limit 1) b on true`

const ENTRIES = `select c.created_at, 3, e.purpose, 'status_entry.allocated', null, null::uuid, null,
  json_build_object('purpose', e.purpose, 'list_id', e.list, 'index', e.index)
from c, lateral (values ('revocation', c.status_list_id, c.status_index),
  ('suspension', c.suspension_list_id, c.suspension_index)) as e (purpose, list, index)
where e.list is not null`

/** Changes with what caused them: a bulk revocation by its request and subject, and the entry that the request wrote. */
const CHANGES = `select h.changed_at, 4, lpad(h.id::text, 20, '0'), case when h.purpose = 'revocation'
    then case when h.value then 'credential.revoked' else 'credential.unrevoked' end
    else case when h.value then 'credential.suspended' else 'credential.unsuspended' end end,
  o.type, h.request_id, coalesce(r.client_id, o.client_id), json_build_object('revocation_id', r.id, 'by', r.scope)
from c join credential_status_changes h on h.credential_id = c.id
  left join lateral (select r.id, r.scope, r.client_id from (
      select * from credential_revocations n
      where n.subject in (c.template_id::text, c.batch_id::text, c.issuer) and n.request_id = h.request_id
      union all select * from credential_revocations n where n.scope = 'holder' and n.request_id = h.request_id) r
    order by r.created_at desc limit 1) r on true
  left join lateral (select l.type, l.metadata->>'clientId' as client_id from logs l
    where l.request_id = h.request_id and l.type like '%\\_SUCCESS' and l.type not like '%\\_COMPLETE\\_SUCCESS'
      and (c.id = any (l.object_ids) or r.id = any (l.object_ids))
    order by l.timestamp <= h.changed_at desc, l.timestamp desc limit 1) o on true`

/** The first published list with each change; several changes may stand in it for the first time. */
const PUBLISHED = `select p.published_at, 5, p.list_id::text || lpad(p.changes::text, 10, '0'), 'status_list.published', null, null::uuid,
  null, json_build_object('purpose', min(h.purpose), 'list_id', p.list_id, 'scheduled', p.scheduled)
from c join credential_status_changes h on h.credential_id = c.id,
  lateral (select p.list_id, p.changes, p.published_at, p.scheduled from status_list_publications p
    where p.list_id = case h.purpose when 'revocation' then c.status_list_id else c.suspension_list_id end
      and p.changes >= h.list_change
    order by p.changes limit 1) p
group by p.list_id, p.changes, p.published_at, p.scheduled`

const REQUESTED = `select n.created_at, 6, n.id::text, 'notification.requested', null, n.request_id, n.client_id,
  json_build_object('notification_id', n.id)
from c join credential_notifications n on n.credential_id = c.id`

const NOTIFIED = `select n.ended_at, 7, n.id::text, 'notification.' || lower(n.state), null, n.request_id, n.client_id,
  json_build_object('notification_id', n.id, 'reason', n.reason)
from c join credential_notifications n on n.credential_id = c.id where n.ended_at is not null`

const USED = `select l.timestamp, 8, l.id::text, l.type, l.type, l.request_id, l.metadata->>'clientId',
  json_build_object('error', l.data->'error'->>'type')
from c join logs l on ${about('c.id')}
where l.type ~ '_(QRCODE|PDF)_CREATE_SUCCESS$' or l.type ~ '_(SET_STATUS|PAYLOAD_CREATE)_FAIL$'`

const EXPIRED = `select c.expiration_date, 9, '', 'credential.expired', null, null::uuid, null, '{}'::json
from c where c.expiration_date is not null and c.expiration_date <= ?`

const EVENTS = [BATCH, ISSUED, ENTRIES, CHANGES, PUBLISHED, REQUESTED, NOTIFIED, USED, EXPIRED].join('\nunion all\n')

export const TIMELINE_COUNT = `${CREDENTIAL} select count(*)::int as total from (${EVENTS}) as events`

/** Oldest first; also the values limit and offset. */
export const TIMELINE_PAGE = `${CREDENTIAL} select * from (${EVENTS}) as events order by at, rank, ref limit ? offset ?`
