"""Changes of generated JSON that the schemas cannot ask for."""
import re
import unicodedata
from urllib.parse import quote

import stored

TERM = "[A-Za-z][A-Za-z0-9_-]*|@(context|value|language|direction)"
UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
REGISTERED = {"iss", "sub", "aud", "exp", "nbf", "iat", "type", "jti", "cti", "status", "vc", "property_set"}


LETTERS = "^[A-Za-z0-9\u00c0-\u024f]+$"
PICTURE = "^https://([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.]){1,8}(edu|museum)(/[A-Za-z0-9._~/-]*)?$"


def narrowed(pattern):
    """A pattern of any script as one of letters, and of any host as one of public ones: no pattern can tell which characters are assigned."""
    if "\\ue000-\\uf8ff" in pattern:
        return LETTERS
    return PICTURE if "data:image/(png" in pattern else pattern


def usable(value):
    """JSON as every reader understands it: I-JSON (RFC 7493), without the names that the API reserves."""
    if isinstance(value, str):
        return re.sub("[\x00\ud800-\udfff]", "0", value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value if abs(value) < 2**53 else 1
    if isinstance(value, list):
        return [usable(each) for each in value]
    if isinstance(value, dict):
        return {usable(name) if name not in ("__proto__", "toString") else "name": usable(each) for name, each in value.items()}
    return value


def types(value):
    if isinstance(value, list):
        return [types(each) for each in value]
    return "Other" if isinstance(value, str) and not re.fullmatch(TERM, value) else value


def signable(value):
    """JSON of which JSON-LD signs everything: names are terms; no null, no empty list, no list in a list, no 17th digit."""
    if isinstance(value, str):
        return re.sub("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", "0", value)
    if isinstance(value, float):
        return round(value, 3) + 0.0  # no -0
    if isinstance(value, list):
        return [signable(each) for each in value if each is not None and not isinstance(each, list)] or "none"
    if isinstance(value, dict):
        return {
            name if re.fullmatch(TERM, name) else "name": "en" if name == "@language" else signable(
                types(each) if name == "type" else each
            )
            for name, each in value.items()
            if each is not None
        }
    return value


def document(value, proof_type):
    """A credential or presentation of the tenant that can be signed."""
    value = signable(value)
    value["@context"] = stored.CONTEXTS
    did = stored.did_for(proof_type)
    if "issuer" in value:
        value["issuer"] = {**value["issuer"], "id": did} if isinstance(value["issuer"], dict) else did
    for name in ("issuanceDate", "expirationDate", "validUntil"):
        value.pop(name, None)
    if isinstance(value.get("relatedResource"), list):
        value["relatedResource"] = value["relatedResource"][:1]
    return value


def without_empty_lists(value, name=None):
    if isinstance(value, list):
        return [without_empty_lists(each) for each in value] or ([] if name == "trustedIssuer" else [0])
    if isinstance(value, dict):
        return {name: without_empty_lists(each, name) for name, each in value.items()}
    return value


def duration(units):
    """Ends before the year 10000, and not at once."""
    within = {unit: value % 1000 for unit, value in units.items()}
    return within if any(within.values()) else {**within, "days": 1}


def own_claims(claims):
    """Claims with names that a compact credential may have."""
    return {name: value for name, value in claims.items() if 0 < len(name) <= 128 and name not in REGISTERED}


def compact_claims(claims):
    """Claims of a compact credential of the tenant."""
    own = own_claims(claims.get("property_set") or {})
    beside = {name: value for name, value in own_claims(claims).items() if name not in own}
    registered = {name: claims[name] for name in ("sub", "aud", "exp", "iat", "type") if name in claims}
    few = lambda members: dict(list(members.items())[:50])
    return {**few(beside), **registered, "iss": stored.DIDS["p256"], "property_set": few(own)}


def compact_semantic(credential):
    """A credential of the tenant as the payload of a compact-semantic one."""
    set_by_platform = {"id", "proof", "credentialStatus", "issuanceDate", "expirationDate", "validFrom", "validUntil"}
    kept = {name: value for name, value in credential.items() if name not in set_by_platform}
    if "@context" in kept:
        kept["@context"] = [stored.V2, *kept["@context"]]
    issuer = credential.get("issuer")
    return {**kept, "issuer": {**issuer, "id": stored.DID} if isinstance(issuer, dict) else stored.DID}


def printable(value):
    """Texts of assigned characters that are seen: without the categories Cc, Cf, Cn, Co, Cs, Zl and Zp of Unicode."""
    if isinstance(value, str):
        return "".join("0" if unicodedata.category(each) in UNSEEN else each for each in value)
    if isinstance(value, dict):
        return {name: printable(each) for name, each in value.items()}
    return value


def called(url):
    """A URL that can be called: the path of the generated one, at a host that has a public name."""
    path = re.sub("^[a-zA-Z]+://[^/?#]*|[?#].*", "", url)
    return "https://receiver.university.example/" + quote(path[:100], safe="")
