"""What the nightly audit looks at of complaints: evidence as it was frozen, fees as the ledger has them."""

from __future__ import annotations

from collections.abc import Iterator

from games.complaints import evidence
from games.complaints.models import Complaint, Evidence
from wallet import lookup
from wallet.services import Leg


def check_evidence() -> Iterator[str]:
    """Yield every piece of evidence that is not what was frozen, or that the log no longer says."""
    for one in Evidence.objects.select_related("deal").order_by("pk").iterator():
        try:
            holds = evidence.exhibit(one).holds
        except (ValueError, KeyError, TypeError):
            holds = False
        if not holds:
            yield f"evidence of case {one.case_id}, deal {one.deal_id}: not what was frozen"


def check_fees() -> Iterator[str]:
    """Yield every complaint whose fee the ledger did not take, or gave back though it was not withdrawn."""
    for complaint in Complaint.objects.filter(fee__gt=0).order_by("pk").iterator():
        back = f"{complaint.reference}:withdrawn"
        moved = lookup.legs_of([complaint.reference, back])
        taken = [Leg("house:complaints", complaint.fee), Leg(complaint.complainant_id, -complaint.fee)]
        if sorted(moved.get(complaint.reference, []), key=str) != sorted(taken, key=str):
            yield f"complaint {complaint.pk}: its fee is not what the ledger took"
        if (back in moved) != (complaint.status == Complaint.Status.WITHDRAWN):
            yield f"complaint {complaint.pk}: its fee came back, or did not, against its state"


CHECKS = {"evidence": check_evidence, "complaint fees": check_fees}
