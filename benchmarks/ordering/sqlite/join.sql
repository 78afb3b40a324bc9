CREATE TABLE u(id INTEGER PRIMARY KEY, name TEXT, dept INT); CREATE TABLE d(id INTEGER PRIMARY KEY, title TEXT);
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<20) INSERT INTO d SELECT x, 'dept' || x FROM c;
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<500) INSERT INTO u SELECT x, 'user' || x, x % 20 FROM c;
SELECT d.title, count(*), max(u.name) FROM u JOIN d ON d.id = u.dept GROUP BY d.title HAVING count(*) > 3 ORDER BY 2 DESC, 1 LIMIT 10;
SELECT name FROM u LEFT JOIN d ON d.id = u.dept WHERE d.id IS NULL; SELECT a.name, b.name FROM u a, u b WHERE a.id = b.id + 1 AND a.dept IN (1,2,3) ORDER BY b.name; SELECT * FROM u WHERE EXISTS(SELECT 1 FROM d WHERE d.id=u.dept AND title LIKE '%1%'); 
