"""A person at the pages: signs up, signs in and out, sits down; his session opens sockets."""

import http.cookiejar
import urllib.error
import urllib.parse
import urllib.request

PASSWORD = "Correct-horse-9"


class Visitor:
    """One browser's cookies and the few pages the socket tests need. Blocking: call in a thread."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._jar = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._jar))
        self.page = ""
        self.at = ""

    @property
    def session(self) -> str:
        return self._cookie("sessionid")

    def _cookie(self, name: str) -> str:
        return next((cookie.value or "" for cookie in self._jar if cookie.name == name), "")

    def get(self, path: str) -> int:
        """Load a page; its text is `page`, its address `at`."""
        return self._load(urllib.request.Request(self.url + path))

    def post(self, path: str, **fields: str) -> int:
        """Send a form."""
        fields["csrfmiddlewaretoken"] = self._cookie("csrftoken")
        body = urllib.parse.urlencode(fields).encode()
        return self._load(urllib.request.Request(self.url + path, body, {"Referer": self.url + path}))

    def _load(self, request: urllib.request.Request) -> int:
        try:
            answer = self._opener.open(request, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        self.page, self.at = answer.read().decode(), answer.geturl().removeprefix(self.url)
        return answer.status or 0

    def sign_up(self, name: str) -> "Visitor":
        self.get("/accounts/signup/")
        assert self.post("/accounts/signup/", username=name, password1=PASSWORD) == 200, self.page
        assert self.session, self.page
        return self

    def sign_in(self, name: str) -> "Visitor":
        self.get("/accounts/login/")
        assert self.post("/accounts/login/", login=name, password=PASSWORD) == 200, self.page
        assert self.session, self.page
        return self

    def sign_out(self) -> None:
        assert self.post("/accounts/logout/") == 200, self.page

    def sit_in(self, tier: str) -> str:
        """Sit down in a tier by quick match and return the table's code."""
        self.get("/")
        assert self.post("/quick/", tier=tier) == 200, self.page
        assert self.at.startswith("/tables/"), self.at
        return self.at.removeprefix("/tables/").removesuffix("/")
